"""Portuguese."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

PORTUGUESE = Lexicon(
    analyser="portuguese",
    number_code="pt",
    common="""
        o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com e ou mas que se seu sua
        seus suas ele ela eles elas foi sao era esta estao tem ha ao aos cada todos todas todo toda cerca muito eu
        meu minha lhe como num numa
    """,
    prepositions="a ao aos em no na nos nas de do da dos das por pelo pela para com num numa",
    every="cada todo todas.as todos.os",
    linking="de do da dos das",
    alternatives="ou",
    tense="era eram foi foram estava estavam tinha tinham/e sao esta estao tem",
    past_ending="ava avam ia iam ou",
    coordinators="e ou",
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
    ordering="primeiro, antes, depois, ate, em vez",
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
    synonyms="""
        mora, moram, morar
        trabalha, trabalhar
        possui, possuir
        utiliza, utilizar, faz uso de
        adquire, adquirir
        vende, vender
        comeca, comecar
        termina, terminar
        gosta, gostar
        odeia, odiar, detesta, detestar
        precisa, precisar, necessita, necessitar
        permite, permitir
        fala, falar
        envia, enviar
        armazena, armazenar
        constroi, construir
        conserta, consertar
        elimina, eliminar, remove, remover
        custa, custar
        ensina, ensinar
        telefona, telefonar
        muda se, se muda
        morre, morrer, falece, falecer
        nasce, nascer
        modifica, modificar, altera, alterar
        verifica, verificar
        cancela, cancelar
        adia, adiar, posterga
        chama se, se chama
        contem, conter
        aumenta, aumentar
        reduz, reduzir, diminui, diminuir
        substitui, substituir
        esta situado em, esta localizado em
        atualiza, atualizar
        clientes, clientela
        marido, esposo
        pai, papai
        pai e mae, mae e pai
        animais de estimacao, pets
        carro, automovel
        carros, automoveis
        bicicleta, bike
        autocarro, onibus
        telemovel, telefone celular
        fotos, fotografias
        email, e mail, mail, correio eletronico
        usuario, utilizador
        usuarios, utilizadores
        palavra passe, password
        banco de dados, base de dados, bd
        sitio web, website
        aplicativo, app
        filial, sucursal
        doenca, enfermidade
        geladeira, frigorifico
        cafe da manha, pequeno almoco
        banheiro, casa de banho
        data limite, deadline
        gratis, de graca
        rapidamente, depressa
        favorito, favorita, predileto
        diariamente, todos os dias, cada dia
        semanalmente, todas as semanas, cada semana
        mensalmente, todos os meses, cada mes
        anualmente, todos os anos, cada ano
        pelo menos, ao menos, no minimo
        no maximo, quando muito
        geralmente, em geral
        normalmente, habitualmente, por norma
        frequentemente, com frequencia, amiude
        raramente, poucas vezes
        por vezes, de vez em quando, ocasionalmente
        imediatamente, de imediato
        por exemplo, p ex
        nao longe de, nas proximidades de
        por causa de, devido a
        em vez de, em lugar de, ao inves de
        vegetariano, vegetariana, nao come carne
        vegano, vegana, nao come produtos de origem animal
        abstemio, abstemia, nao bebe alcool, nunca bebe alcool
        nao fumador, nao fumante, nao fuma
        filho unico, filha unica, nao tem irmaos
        canhoto, canhota, escreve com a esquerda
        analfabeto, analfabeta, nao sabe ler nem escrever
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
