"""The Italian lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

ITALIAN = Lexicon(
    analyser="italian",
    common="""
        il lo la i gli le l un uno una di del della dei delle dello degli d a al alla ai alle da dal dalla in nel
        nella nei nelle su sul sulla per con e o ma che suo sua suoi sue e sono era ha hanno aveva si ci se ne io
        mio mia ogni tutti tutte tutto tutta circa molto viene come essere dei c
    """,
    each_weekday="ogni tutti.i tutte.le",
    tense="era erano aveva avevano fu/e sono ha hanno",
    negations="non, mai, nessun, nessuno, nessuna, niente, nulla, senza, ne, neanche, nemmeno",
    endings="""
        non * piu, ha smesso, smesso, ha lasciato, lasciato, ha venduto, venduto, venduta, abbandonato, finito,
        finita, terminato, annullato, annullata, eliminato, eliminata, dimess*, in pensione, morto, morta,
        divorziato, divorziata, separato, separata, perso, rotto, chiuso, chiusa, ritirato, scaduto, rimosso, tolto,
        revocato, revocata, abrogato, in favore di, a favore di,
        decis* contro, deciso di rinunciare, contrari* a, scartat*
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
    reasons="perche, poiche, siccome",
    stand_ins="""
        sostituisce * durante, temporaneamente, provvisori*, per ora, finche, in prestito, supplente, facente
        funzione
    """,
    also="anche, inoltre, un altro, un altra, pure, altresi, secondo, seconda, ulteriore",
    past="""
        prima, un tempo, da bambino, da bambina, da giovane, da studente, in passato, in gioventu, una volta,
        allora, durante
    """,
    limits="solo, soltanto, solamente, unicamente, tranne, eccetto, esclusivamente, al massimo, almeno",
    singles="preferit*, principale, predefinit*, ufficiale, maggiore",
    holds_one="""
        vive a, abita a, risiede a, lavora per, lavora presso, lavora da, sposata con, sposato con, studia a
    """,
    copulas="e",
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
