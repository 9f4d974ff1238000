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
    coordinators="e ou",
    negations="nao, nunca, jamais, nenhum, nenhuma, nada, ninguem, sem, nem",
    endings="""
        ja nao, nao * mais, deixou de, deixou, parou, largou, vendeu, vendido, vendida, terminou, acabou, cancelado,
        cancelada, eliminado, removido, removida, demitiu, reformou, aposentou, morreu, faleceu, divorciado,
        divorciada, separado, separada, perdeu, quebrou, fechou, fechado, abandonou, desligado, suspenso, extinto
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
    stand_ins="""
        substitui * durante, temporariamente, provisori*, por enquanto, enquanto, emprestado, emprestada, interino,
        interina
    """,
    also="tambem, alem disso, outro, outra, igualmente, segundo, segunda, ainda um",
    past="antes, antigamente, quando era, em crianca, na juventude, anteriormente, costumava, outrora, durante",
    ordering="primeiro, antes, depois, ate, em vez",
    limits="so, somente, apenas, unicamente, exceto, salvo, exclusivamente, no maximo, pelo menos",
    singles="favorit*, preferid*, principal, predefinid*, oficial, mais velh*",
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
        mora, morar, morava, morou, moram, vive, viver, vivia, viveu, reside, residir, residia, habita
        trabalha, trabalhar, trabalhava, trabalhou, esta empregado, esta empregada
        possui, possuir, possuia, e dono de, e dona de, e proprietario de, e proprietaria de, detem
        usa, usar, usava, usou, utiliza, utilizar, utilizava, faz uso de
        comprou, compra, comprar, comprado, comprada, adquire, adquirir, adquiriu, adquirido
        vendeu, vende, vender, vendido, vendida, venda
        comecou, comeca, comecar, comecado, inicia, iniciar, iniciou, iniciado, inicio
        terminou, termina, terminar, terminado, acabar, acabado, finaliza, finalizou, conclui, concluiu, concluido
        deixou de, deixa de, parou de, deixar de
        gosta, gostar, gostava, gostou, adora, adorar, adorava, ama, amar, aprecia, e fa de
        nao gosta, nao gostava, odeia, odiar, odiava, detesta, detestar, nao suporta
        precisa, precisar, precisava, precisou, necessita, necessitar, requer, requerer, exige
        permite, permitir, permitiu, permitido, permitida, autoriza, autorizado, autorizada
        proibe, proibir, proibiu, proibido, proibida, vedado, nao e permitido, nao se permite, interdito
        sabe, saber, sabia, soube, tem conhecimento de
        fala, falar, falava, falou, conversa, conversar, conversou
        encontra se com, reune se com, se reune com, encontrou se com, reuniu se com, se encontra com
        envia, enviar, enviou, enviado, enviada, manda, mandar, mandou, mandado
        guarda, guardar, guardou, guardado, conserva, conservar, armazena, armazenar, armazenado
        mostra, mostrar, mostrou, mostrado, exibe, exibir, exibiu
        constroi, construir, construiu, construido
        conserta, consertar, consertou, consertado, conserto, repara, reparar, reparou, reparado, corrige, corrigir
        eliminado, apaga, apagar, apagou, apagado, elimina, eliminar, eliminou, exclui, excluir, excluiu, excluido
        paga, pagar, pagou, pago, pagava, pagamento
        custa, custar, custou, custava, custo, preco, precos
        salario, salarios, ordenado, vencimento, remuneracao
        dirige, dirigir, dirigiu, lidera, liderar, liderou, chefia, chefiar, esta a frente de, comanda
        ensina, ensinar, ensinava, ensinou, da aulas de, da aula de, leciona, lecionar
        estuda, estudar, estudava, estudou, cursa, cursar
        telefona, telefonar, telefonou, liga para, ligou para, telefonema, chamada telefonica
        conduz, conduzir, conduziu, esta ao volante de
        mudou se, muda se, se mudou, se muda, mudanca de casa, mudou de casa, trocou de casa
        casou, casou se, se casou, casa se, casaram, casamento, bodas
        morreu, morre, morrer, morto, morta, falece, falecer, faleceu, falecido, falecida
        nasce, nascer, nasceu, nascido, nascida, nascimento, veio ao mundo
        ajuda, ajudar, ajudou, auxilia, auxiliar, da uma mao a
        procura, procurar, procurou, busca, buscar, esta a procura de, anda a procura de
        encontra, encontrar, encontrou, achou
        alterado, altera, alterar, alterou, alteracao, modifica, modificar, modificou, modificado
        verifica, verificar, verificou, verificado, confere, checa
        realiza se, se realiza, tem lugar, teve lugar, tera lugar, realizou se, realizar se a
        cancelado, cancela, cancelar, cancelou, cancelada, anula, anulou, anulado, desmarca, desmarcou, desmarcado
        adiado, adia, adiar, adiou, adiada, posterga, postergou, postergado
        chama se, se chama, chamado, o nome e, de nome
        contem, conter, continha, inclui, incluir, incluido
        dura, durar, durou, durava, duracao
        vem de, e originario de, e originaria de, e natural de, provem de, oriundo de
        aumentou, aumenta, aumentar, aumentado, aumento
        reduziu, reduz, reduzir, reduzido, reducao, diminui, diminuir, diminuiu, diminuicao
        publica, publicar, publicou, publicado, publicada, publicacao
        substituido, substitui, substituir, substituiu, substituida
        funda, fundar, fundou, fundado, fundada, cria, criar, criou
        fica em, esta situado em, esta localizado em, esta localizada em, situa se, localiza se, localizado, localizada
        visita, visitar, visitou, vai ver
        corre, correr, corria, corrida, faz jogging
        atualizado, atualiza, atualizar, atualizou, atualizacao, update
        deve, dever, devia, tem que, tem de, e obrigado a, e obrigada a
        em casa, em sua casa, na sua residencia
        apartamento, apartamentos, apto
        emprego, empregos, posto de trabalho
        empresa, empresas, companhia, companhias, firma
        chefe, chefes, patrao, patroa, superior hierarquico
        empregados, funcionarios, trabalhadores, pessoal, colaboradores
        cliente, clientes, clientela
        medico, medica, medicos, doutor, doutora
        medico de familia, medica de familia, clinico geral
        crianca, criancas, miudo, miudos
        esposa, mulher
        marido, esposo
        mae, mamae, mama
        pai, papai, papa
        pais, pai e mae, mae e pai
        irmaos, irmao e irma, irmaos e irmas
        animal de estimacao, animais de estimacao, pet, pets
        carro, carros, automovel, automoveis, viatura
        bicicleta, bicicletas, bike
        comboio, trem
        autocarro, onibus
        telemovel, celular, telefone celular, smartphone
        computador, computadores, pc
        portatil, notebook, laptop, computador portatil
        televisao, televisor, tv
        foto, fotos, fotografia, fotografias
        filme, filmes, pelicula
        reuniao, reunioes, meeting
        email, emails, e mail, mail, correio eletronico
        erro, erros, bug, bugs, falha, falhas
        funcionalidade, funcionalidades, feature
        usuario, usuarios, utilizador, utilizadora, utilizadores
        senha, senhas, palavra passe, password
        banco de dados, base de dados, bd
        site, sites, sitio web, pagina web, website
        aplicacao, aplicativo, app, apps
        arquivo, arquivos, ficheiro, ficheiros
        tela, ecra
        sede, sede principal, quartel general, matriz
        filial, filiais, sucursal
        divida, dividas, endividado
        aluguel, aluguer
        doenca, doencas, enfermidade
        remedio, remedios, medicamento, medicamentos, farmaco
        alimentos, comida, generos alimenticios
        geladeira, frigorifico
        cafe da manha, pequeno almoco
        sorvete, gelado
        suco, sumo
        banheiro, casa de banho
        diretor geral, diretora geral, ceo
        prazo, data limite, deadline
        numero de telefone, telefone
        academia, ginasio
        equipe, equipa, time
        grande, grandes, enorme, imenso
        pequeno, pequena, pequenos, minusculo
        rapido, rapida, rapidos, veloz, rapidamente, depressa
        caro, cara, caros, dispendioso
        barato, barata, baratos, em conta
        usado, usada, de segunda mao
        gratis, gratuito, gratuita, de graca
        calmo, calma, tranquilo, tranquila, sossegado
        doente, doentes, enfermo, enferma
        avariado, avariada, estragado, estragada, quebrado, quebrada, nao funciona, fora de servico
        dificil, dificeis, complicado, complicada
        facil, faceis, simples
        gravida, espera um bebe, espera um filho
        medo, teme, temor
        favorito, favorita, preferido, preferida, predileto
        diario, diaria, diariamente, todos os dias, cada dia, por dia
        semanal, semanalmente, todas as semanas, cada semana, por semana
        mensal, mensalmente, todos os meses, cada mes, por mes
        anual, anualmente, todos os anos, cada ano, por ano
        aproximadamente, cerca de, mais ou menos, por volta de
        pelo menos, ao menos, no minimo, minimo
        no maximo, maximo, quando muito
        quase, praticamente
        a noite, de noite
        de manha, pela manha, as manhas
        normalmente, geralmente, habitualmente, em geral, por norma, costuma
        muitas vezes, frequentemente, com frequencia, amiude
        raramente, poucas vezes, quase nunca
        as vezes, por vezes, de vez em quando, ocasionalmente
        juntos, juntas, em conjunto
        imediatamente, de imediato
        por exemplo, p ex
        perto de, proximo de, nao longe de, nas proximidades de
        por causa de, devido a, por culpa de
        em vez de, em lugar de, ao inves de
        vegetariano, vegetariana, nao come carne, sem carne
        vegano, vegana, nao come produtos de origem animal
        abstemio, abstemia, nao bebe alcool, nunca bebe alcool
        nao fumador, nao fumante, nao fuma
        filho unico, filha unica, nao tem irmaos, sem irmaos
        solteiro, solteira, nao e casado, nao e casada
        sem filhos, nao tem filhos
        desempregado, desempregada, sem emprego, sem trabalho
        surdo, surda, nao consegue ouvir
        cego, cega, invisual, nao consegue ver
        canhoto, canhota, escreve com a esquerda
        analfabeto, analfabeta, nao sabe ler nem escrever
        teletrabalho, trabalha de casa, trabalha em casa, home office
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
