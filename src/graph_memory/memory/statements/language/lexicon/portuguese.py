"""The Portuguese lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

PORTUGUESE = Lexicon(
    analyser="portuguese",
    common="""
        o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com e ou mas que se seu sua
        seus suas ele ela eles elas foi sao era esta estao tem ha ao aos cada todos todas todo toda cerca muito eu
        meu minha lhe como num numa
    """,
    each_weekday="cada todo todas.as todos.os",
    tense="era eram foi foram estava estavam tinha tinham/e sao esta estao tem",
    negations="nao, nunca, jamais, nenhum, nenhuma, nada, ninguem, sem, nem",
    endings="""
        ja nao, nao * mais, deixou de, deixou, parou, largou, vendeu, vendido, vendida, terminou, acabou, cancelado,
        cancelada, eliminado, removido, removida, demitiu, reformou, aposentou, morreu, faleceu, divorciado,
        divorciada, separado, separada, perdeu, quebrou, fechou, fechado, abandonou, desligado, suspenso, extinto,
        revogado, revogada, revertido, revertida, anulado, anulada, em favor de, a favor de,
        decid* contra, optamos contra, contra o uso, descart*
    """,
    changes="""
        mudou, mudado, trocou, trocado, aumentou, aumentado, baixou, subiu, desceu, reduzido, reduziu, prorrogado,
        adiado, adiada, antecipado, renomeado, substituido, substituida, tornou, passou a, passou para, migrou,
        promovido, promovida, em vez de, novo, nova, contratado, comprou, comecou, atualizado, alterado, transferido
    """,
    now="agora, hoje, atualmente, desde, ja, ultimamente, recentemente, a partir de, neste momento, semana passada",
    wishes="""
        gostaria, quer, deseja, planeja, pretende, espera, pensa em, considera, se, talvez, poderia, deveria,
        propoe, proposta, objetivo, sonha, proximo ano, no ano que vem, previsto
    """,
    claims="diz, disse, segundo, afirma, acredita, acha, boato, supostamente, parece que",
    reasons="porque, ja que, pois",
    stand_ins="""
        substitui * durante, temporariamente, provisori*, por enquanto, enquanto, emprestado, emprestada, interino,
        interina
    """,
    also="tambem, alem disso, outro, outra, igualmente, segundo, segunda, ainda um",
    past="antes, antigamente, quando era, em crianca, na juventude, anteriormente, costumava, outrora, durante",
    limits="so, somente, apenas, unicamente, exceto, salvo, exclusivamente, no maximo, pelo menos",
    singles="favorit*, preferid*, principal, predefinid*, oficial, mais velh*",
    holds_one="""
        mora em, vive em, reside em, trabalha na, trabalha no, trabalha em, trabalha para, casada com,
        casado com, estuda em, estuda na
    """,
    copulas="e",
    corrections="na verdade, de facto, de fato, erro, errado, errada, falso, correcao, afinal, confundido, engano",
    spoken_to="tu, te, ti, teu, tua, teus, tuas, voce, voces, contigo",
    kin="""
        mae, pai, pais, irmao, irma, filho, filha, filhos, filhas, marido, mulher, esposo, esposa, namorado,
        namorada, tio, tia, primo, prima, avo, sobrinho, sobrinha, colega, colegas, amigo, amiga, vizinho, vizinha,
        chefe, sogro, sogra, cunhado, cunhada
    """,
    states="""
        trabalha, empregado, empregada, cargo, dirige, diretor*, professor*, estagi*: deixou, demitiu, despedid*, reformou, aposentou, contratad*, promovid*
        mora, vive, casa, apartamento, morada, sede: mudou, vendeu, saiu
        tem, possui, usa, conduz, carro, telemovel, celular: vendeu, perdeu, roubado, quebrou, trocou
        casado, casada, marido, mulher, namorad*: divorciad*, separad*, viuv*
        solteiro, solteira: casou, casad*, noiv*
        gravida: nasceu, bebe
        aberto, pendente, espera, rascunho, em curso: fechado, aprovad*, rejeitad*, assinado, terminad*, resolvid*, concluid*, decidid*
        previsto, data, vence, prazo: adiad*, cancelad*, prorrogad*, antecipad*, nova data
        avariado, avariada, quebrado, nao funciona: reparad*, consertad*, voltou a funcionar, resolvid*
        doente, ferido: recuperad*, curad*
        fuma, bebe, come, cafe, carne: deixou, parou, vegetarian*, vegan*
        estuda, estudante, curso: formou, concluiu, aprovad*, desistiu
        nao tem, sem, procura: conseguiu, comprou, nasceu, encontrou, adotou, recebeu, obteve
        permitid*, aceita: proibid*, removid*
        proibid*: permitid*
        hospedado, escrito, usa: migrou, substituid*
        vivo, viva, anos: morreu, faleceu
    """,
    antonyms="""
        esquerda, canhoto/direita, destro
        ativado, ligado/desativado, desligado
        aberto, aberta/fechado, fechada
        gosta, adora/odeia, detesta
        casado, casada/solteiro, solteira, divorciado, divorciada
        permitido/proibido
        sempre/nunca
        antes/depois
        publico/privado
        aceite, aprovado/rejeitado, recusado
        rapido/lento
        caro/barato
        manha/noite
        vegetariano, vegetariana/carne
        com/sem
        primeiro/ultimo
    """,
    labels="""
        presidente, tesoureiro, secretario, secretaria
        filho, filha
        nasceu, cresceu, estudou
        maximo, minimo, medio, predefinido
        almoco, jantar
        entrada, saida
    """,
    numbers="""
        zero um dois/duas tres quatro cinco seis sete oito nove dez onze doze/duzia treze catorze/quatorze quinze
        dezasseis/dezesseis dezassete/dezessete dezoito dezanove/dezenove
    """,
    ordinals="""
        primeiro/primeira segundo/segunda terceiro/terceira quarto/quarta quinto/quinta sexto setimo oitavo nono
        decimo
    """,
    tens="vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    scales="mil milhao/milhoes bilhao/bilhoes",
    months="""
        janeiro/jan fevereiro/fev marco/mar abril/abr maio/mai junho/jun julho/jul agosto/ago setembro/set outubro/out
        novembro/nov dezembro/dez
    """,
    weekdays="segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
)
