"""Italian."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

ITALIAN = Lexicon(
    analyser="italian",
    number_code="it",
    common="""
        il lo la i gli le l un uno una di del della dei delle dello degli d a al alla ai alle da dal dalla in nel
        nella nei nelle su sul sulla per con e o ma che suo sua suoi sue e sono era ha hanno aveva si ci se ne io
        mio mia ogni tutti tutte tutto tutta circa molto viene come essere dei c
    """,
    prepositions="a al alla ai alle di del della dei delle degli d da dal dalla in nel nella nei con per su sul sulla",
    coordinators="e ed o",
    negations="non, mai, nessun, nessuno, nessuna, niente, nulla, senza, ne, neanche, nemmeno",
    endings="""
        non * piu, ha smesso, smesso, ha lasciato, lasciato, ha venduto, venduto, venduta, abbandonato, finito,
        finita, terminato, annullato, annullata, eliminato, eliminata, dimess*, in pensione, morto, morta,
        divorziato, divorziata, separato, separata, perso, rotto, chiuso, chiusa, ritirato, scaduto, rimosso, tolto
    """,
    changes="""
        cambiato, cambiata, trasferito, trasferita, passato a, passata a, aumentato, aumentata, abbassato, ridotto,
        alzato, prorogato, rinviato, rinviata, anticipato, rinominato, sostituito, sostituita, diventato, diventata,
        migrato, promosso, promossa, invece di, al posto di, nuovo, nuova, assunto, assunta, comprato, iniziato,
        spostato, spostata, aggiornato, salito, sceso
    """,
    now="adesso, ora, oggi, attualmente, ormai, da quando, dal, di recente, ultimamente, d ora in poi, dopo",
    wishes="""
        vorrebbe, vuole, desidera, progetta, pensa di, spera, sta valutando, valuta, se, forse, potrebbe, dovrebbe,
        propone, proposta, obiettivo, sogna, l anno prossimo, intende, previsto, prevista
    """,
    claims="dice, ha detto, secondo, afferma, crede, sostiene, pare, si dice, presunto, ritiene",
    stand_ins="""
        sostituisce * durante, temporaneamente, provvisori*, per ora, finche, in prestito, supplente, facente
        funzione
    """,
    also="anche, inoltre, un altro, un altra, pure, altresi, secondo, seconda, ulteriore",
    past="""
        prima, un tempo, da bambino, da bambina, da giovane, da studente, in passato, in gioventu, una volta,
        allora, durante
    """,
    ordering="poi, prima, dopo, fino, invece",
    limits="solo, soltanto, solamente, unicamente, tranne, eccetto, esclusivamente, al massimo, almeno",
    singles="preferit*, principale, predefinit*, ufficiale, maggiore",
    corrections="""
        in realta, in effetti, errore, sbagliato, sbagliata, falso, correzione, anzi, piuttosto, confuso, risulta
        che
    """,
    spoken_to="tu, te, ti, tuo, tua, tuoi, tue, voi, vostro, vostra",
    kin="""
        madre, padre, genitori, fratello, sorella, figlio, figlia, figli, marito, moglie, compagno, compagna,
        fidanzato, fidanzata, zio, zia, cugino, cugina, nonno, nonna, nipote, collega, colleghi, amico, amica,
        vicino, vicina, capo, suocero, suocera, cognato, cognata, predecessore, successore, assistente
    """,
    states="""
        lavora, impiegato, impiegata, posto, dirige, direttore, direttrice, insegna: lasciato, dimess*, licenziat*, pensione, assunt*, promoss*, disoccupat*
        abita, vive, casa, appartamento, indirizzo, sede: trasferit*, venduto, lasciato, traslocat*
        ha, possiede, usa, guida, porta, auto, macchina, telefono: venduto, perso, rubato, rotto, cambiato, non servono, regalato
        sposato, sposata, marito, moglie, fidanzat*: divorziat*, separat*, vedov*, lasciati
        single, celibe, nubile: sposat*, matrimonio, fidanzat*
        incinta: nato, nata, parto
        aperto, attesa, bozza, in corso, sospeso: chius*, approvat*, respint*, firmato, terminat*, risolt*, concess*, decis*
        previsto, data, scade, scadenza: rinviat*, annullat*, prorogat*, anticipat*, nuova data
        guasto, guasta, rotto, rotta, non funziona: riparat*, funziona di nuovo, risolt*, sostituit*
        malato, malata, soffre: guarit*
        prende, farmaco, medicina: sospes*, smesso
        fuma, beve, mangia, caffe, carne, alcol: smesso, rinunciato, vegetarian*, vegan*
        studia, studente, studentessa, corso: laureat*, superato, finito, abbandonato
        non ha, senza, cerca: ottenuto, comprato, nato, nata, trovato, ricevuto, adottato, preso
        permesso, accetta: vietat*, rimosso
        vietat*: permess*
        ospitato, scritto, database, usa: migrat*, sostituit*, passat*
        vivo, viva, anni: morto, morta, deceduto
        socio, membro, abbonat*: disdett*, lasciato
    """,
    antonyms="""
        sinistra, mancino, mancina/destra
        attivo, attivato, acceso/disattivato, spento
        aperto, aperta/chiuso, chiusa
        ama, piace, piacciono, adora/odia, detesta
        sposato, sposata/celibe, nubile, divorziato, divorziata
        permesso/vietato
        sempre/mai
        prima/dopo
        pubblico/privato
        funziona/guasto, rotto
        accettato, approvato/respinto, rifiutato
        veloce/lento
        caro/economico
        mattina/sera
        vegetariano, vegetariana/carne
        con/senza
        primo/ultimo
    """,
    labels="""
        presidente, tesoriere, segretario, segretaria
        figlio, figlia
        nato, nata, cresciuto, cresciuta, studiato
        massimo, minimo, medio, predefinito
        colazione, pranzo, cena
        entrata, uscita
        personale, lavoro
    """,
    synonyms="""
        abita, abitare, abitava, abitano, vive, vivere, viveva, vissuto, risiede, risiedere, residente
        lavora, lavorare, lavorava, lavorato, e impiegato, e impiegata, e occupato
        possiede, possedere, possedeva, e proprietario di, e proprietaria di, detiene
        usa, usare, usava, utilizza, utilizzare, utilizzava, utilizzato, si serve di, fa uso di
        comprato, compra, comprare, comprata, acquista, acquistare, acquistato, acquistata, acquisto
        venduto, vende, vendere, venduta, vendeva, vendita
        iniziato, inizia, iniziare, iniziata, comincia, cominciare, cominciato, cominciata, inizio
        finito, finisce, finire, finita, termina, terminare, terminato, terminata, si conclude, concluso, conclude
        smesso di, smette di, smettere di, cessa di, ha cessato di
        piace, piacciono, piacere, piaceva, piaciuto, ama, amare, adora, adorare, e appassionato di, e appassionata di
        non piace, non piacciono, non ama, odia, odiare, detesta, detestare, non sopporta
        bisogno di, serve, servono, necessita, necessitare, richiede, richiedere, richiesto, occorre, occorrono
        permette, permettere, permesso, consente, consentire, consentito, autorizza, autorizzato, ammesso
        vieta, vietare, vietato, vietata, proibisce, proibire, proibito, non e permesso, non e consentito, non ammesso
        conosce, conoscere, conosceva, conosciuto
        sa, sapere, sapeva, saputo, e a conoscenza di
        parla, parlare, parlava, parlato
        incontra, incontrare, incontrato, si vede con, si incontra con
        manda, mandare, mandato, invia, inviare, inviato, spedisce, spedire, spedito
        conserva, conservare, conservato, tiene, tenere, custodisce
        salva, salvare, salvato, memorizza, memorizzare, archivia
        mostra, mostrare, mostrato, visualizza, visualizzare, fa vedere
        costruisce, costruire, costruito, costruita, edifica
        ripara, riparare, riparato, riparazione, aggiusta, aggiustare, aggiustato, corregge, correggere, corretto
        eliminato, elimina, eliminare, cancella, cancellare, cancellato, rimuove, rimuovere, rimosso
        paga, pagare, pagato, pagava, salda, saldato
        costa, costare, costava, costato, costo, costi, prezzo, prezzi
        stipendio, stipendi, salario, paga mensile, retribuzione, guadagna, guadagnare
        dirige, dirigere, diretto da, guida, e a capo di, e alla guida di
        insegna, insegnare, insegnava, insegnante, insegnanti, docente, professore, professoressa
        studia, studiare, studiava, studiato
        telefona, telefonare, telefonato, chiama al telefono, telefonata
        risponde, rispondere, risposto, risposta
        riceve, ricevere, ricevuto
        trasloca, traslocare, traslocato, trasloco, si trasferisce, si e trasferito, si e trasferita, cambia casa
        si sposa, sposarsi, si e sposato, si e sposata, si sono sposati, matrimonio, nozze
        morto, morta, muore, morire, deceduto, deceduta, e venuto a mancare
        nato, nata, nasce, nascere, nascita, venuto al mondo, venuta al mondo
        aiuta, aiutare, aiutato, da una mano a
        prova a, provare a, provato a, cerca di, tenta di, cercare di, tentare di
        cerca, cercare, cercato, in cerca di, alla ricerca di
        cambiato, cambia, cambiare, modifica, modificare, modificato, cambiamento
        controlla, controllare, controllato, verifica, verificare, verificato, controllo
        si tiene, si terra, si svolge, si svolgera, ha luogo, avra luogo
        annullato, annulla, annullare, annullata, disdice, disdire, disdetto, cancella, cancellare, cancellato
        rinviato, rimanda, rimandare, rimandato, rimandata, rinvia, rinviare, rinviata, posticipa, posticipato
        si chiama, si chiamava, chiamato, di nome, il suo nome e
        contiene, contenere, conteneva, include, includere, incluso, comprende
        dura, durare, durata, durato
        viene da, proviene da, originario di, originaria di
        aumentato, aumenta, aumentare, aumento, incrementa, incremento
        ridotto, riduce, ridurre, ridotta, riduzione, diminuisce, diminuire, diminuito
        pubblica, pubblicare, pubblicato, pubblicata, pubblicazione
        sostituito, sostituisce, sostituire, sostituita, rimpiazza, rimpiazzato
        fonda, fondare, fondato, fondata, crea, creare, creato
        si trova, si trovano, situato, situata, e ubicato, e ubicata, ha sede
        visita, visitare, visitato, va a trovare
        corre, correre, corsa, jogging, fa jogging, va a correre
        aggiornato, aggiorna, aggiornare, aggiornamento, update
        deve, dovere, doveva, dovuto, e obbligato a, e tenuto a
        puo, potere, poteva, e in grado di, e capace di
        a casa, a casa sua, nella sua abitazione
        impiego, posto, posto di lavoro, occupazione
        professione, mestiere
        azienda, aziende, ditta, ditte, societa, impresa, imprese
        capo, capi, superiore, boss
        collega, colleghi, colleghe, collega di lavoro
        dipendenti, impiegati, personale, organico
        cliente, clienti, clientela
        medico, medici, dottore, dottoressa
        medico di base, medico di famiglia, medico curante
        bambino, bambina, bambini, bambine, bimbo, bimba
        madre, mamma
        padre, papa, babbo
        genitori, madre e padre, padre e madre
        nonni, nonno e nonna
        animale domestico, animali domestici, animale da compagnia
        auto, macchina, macchine, automobile, automobili, vettura
        bicicletta, biciclette, bici
        moto, motocicletta
        cellulare, cellulari, telefonino, telefono cellulare, smartphone
        computer, pc, calcolatore
        portatile, computer portatile, laptop, notebook
        televisione, televisore, tv, tele
        foto, fotografia, fotografie
        film, pellicola
        vacanza, vacanze, ferie
        riunione, riunioni, meeting
        email, e mail, mail, posta elettronica
        errore, errori, bug
        funzione, funzioni, funzionalita
        password, parola d ordine
        base di dati, database, banca dati, db
        sito web, sito internet, pagina web
        applicazione, applicazioni, app
        repository, repo
        sede, sede centrale, sede principale, quartier generale
        filiale, filiali, succursale
        debito, debiti, indebitato, indebitata
        affitto, canone, pigione
        malattia, malattie, patologia
        medicina, medicine, farmaco, farmaci, medicinale, medicinali
        ospedale, ospedali, nosocomio
        cibo, alimenti
        amministratore delegato, amministratrice delegata, ceo
        scadenza, data limite, deadline
        numero di telefono, tel
        divano, sofa
        palestra, gym
        grande, grandi, enorme, gigantesco
        piccolo, piccola, piccoli, piccole, minuscolo
        veloce, veloci, rapido, rapida, velocemente, rapidamente
        caro, cara, cari, costoso, costosa
        economico, economica, a buon mercato, conveniente, a buon prezzo
        usato, usata, usati, di seconda mano
        gratis, gratuito, gratuita, gratuitamente
        tranquillo, tranquilla, silenzioso, silenziosa
        malato, malata, ammalato, ammalata
        rotto, rotta, guasto, guasta, non funziona, fuori servizio
        difficile, difficili, complicato, complicata
        facile, facili, semplice, semplici
        incinta, aspetta un bambino, aspetta un figlio, in gravidanza
        paura, teme, temere, timore
        contento, contenta, felice
        preferito, preferita, favorito, favorita, prediletto
        quotidiano, quotidiana, quotidianamente, giornaliero, ogni giorno, tutti i giorni, al giorno
        settimanale, settimanalmente, ogni settimana, tutte le settimane, a settimana, alla settimana
        mensile, mensilmente, ogni mese, tutti i mesi, al mese
        annuale, annualmente, annuo, ogni anno, tutti gli anni, all anno
        circa, all incirca, approssimativamente, piu o meno
        almeno, come minimo, minimo
        al massimo, non piu di, massimo
        quasi, pressoche
        di notte, la notte, durante la notte
        la mattina, di mattina, al mattino, il mattino
        la sera, di sera, alla sera
        di solito, solitamente, normalmente, abitualmente, generalmente, in genere
        spesso, di frequente, frequentemente
        raramente, di rado, poche volte
        a volte, qualche volta, ogni tanto, talvolta, di tanto in tanto
        insieme, assieme
        subito, immediatamente
        per esempio, ad esempio, p es
        vicino a, nei pressi di, non lontano da, nelle vicinanze di
        a causa di, per via di, per colpa di
        invece di, al posto di, anziche
        tramite, per mezzo di, attraverso
        vegetariano, vegetariana, non mangia carne, senza carne
        vegano, vegana, non mangia prodotti animali
        astemio, astemia, non beve alcol, non beve alcolici
        non fumatore, non fumatrice, non fuma
        figlio unico, figlia unica, non ha fratelli, senza fratelli
        single, non sposato, non sposata, celibe, nubile
        senza figli, non ha figli
        disoccupato, disoccupata, senza lavoro, non ha un lavoro
        sordo, sorda, non puo sentire
        cieco, cieca, non vedente, non puo vedere
        mancino, mancina, scrive con la sinistra
        celiaco, celiaca, celiachia, affetto da celiachia
        smart working, telelavoro, lavora da casa
    """,
    numbers="""
        zero uno due tre quattro cinque sei sette otto nove dieci undici dodici/dozzina tredici quattordici quindici
        sedici diciassette diciotto diciannove
    """,
    ordinals="primo/prima secondo/seconda terzo/terza quarto/quarta quinto/quinta sesto settimo ottavo nono decimo",
    tens="venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    scales="mille/mila milione/milioni miliardo/miliardi",
    months="""
        gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago settembre/set
        ottobre/ott novembre/nov dicembre/dic
    """,
    weekdays="lunedi martedi mercoledi giovedi venerdi sabato domenica",
)
