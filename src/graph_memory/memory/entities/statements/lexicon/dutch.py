"""Dutch."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

DUTCH = Lexicon(
    analyser="dutch",
    number_code="nl",
    has_compounds=True,
    particles="in uit op aan af mee toe om over",
    clock_words="half:-30, kwart over:15, kwart voor:-15",
    common="""
        de het een en of maar hij zij ze haar zijn hun is was waren wordt worden heeft hebben had van in op aan te
        bij met voor uit als dat die dit er om tot ik mijn wij we ongeveer circa elke elk alle iedere ieder door
        naar zich ook
    """,
    prepositions="in op aan bij met voor uit van naar door te",
    every="elke iedere",
    linking="van",
    alternatives="of",
    tense="was waren had hadden werd werden/is zijn heeft hebben wordt",
    past_ending="te ten de den",
    coordinators="en of",
    negations="niet, geen, nooit, niets, niemand, zonder, noch",
    endings="""
        niet meer, geen * meer, gestopt, stopt, opgehouden, opgegeven, beeindigd, ontslag, opgezegd, verkocht,
        afgeschaft, verlaten, verloren, kapot, overleden, gestorven, gescheiden, verhuisd, vervallen, geannuleerd,
        verwijderd, gesloten, voorbij, ingetrokken,
        herroepen, teruggedraaid, ten gunste van,
        tegen * besloten, besloten * tegen, tegen * gekozen, kozen tegen
    """,
    changes="""
        verhuisd, gewisseld, veranderd, gewijzigd, verhoogd, verlaagd, verminderd, verlengd, verkort, uitgesteld,
        verplaatst, hernoemd, vervangen, overgestapt, gemigreerd, bijgewerkt, bevorderd, geworden, gestegen,
        gedaald, in plaats van, nieuw, nieuwe, begonnen, gekocht
    """,
    now="nu, tegenwoordig, inmiddels, momenteel, vandaag, sinds, voortaan, onlangs, sindsdien, op dit moment",
    wishes="""
        wil, willen, zou, plant, hoopt, overweegt, van plan, als, misschien, kan, voorstel, doel, droomt, volgend
        jaar, indien, wellicht, beoogt, gepland
    """,
    claims="zegt, zei, beweert, volgens, vindt, gelooft, denkt, gerucht, naar verluidt",
    reasons="omdat, want, aangezien",
    stand_ins="vervangt tijdelijk, tijdelijk, waarnemend, zolang, valt in, in de tussentijd, geleend, voorlopig",
    also="ook, bovendien, daarnaast, nog een, eveneens, tevens, tweede, ander, andere",
    past="vroeger, destijds, ooit, als kind, als student, voorheen, eerder, in zijn jeugd, in haar jeugd, tijdens",
    ordering="daarna, eerst, voor, na, dan, tot, in plaats",
    limits="alleen, slechts, uitsluitend, behalve, enkel, hoogstens, minstens",
    singles="favoriete, lievelings*, hoofd*, standaard*, officiele, oudste, jongste, beste",
    holds_one="""
        woont in, werkt bij, werkt voor, getrouwd met, verloofd met, studeert in, studeert aan
    """,
    copulas="is",
    corrections="eigenlijk, in werkelijkheid, fout, vergissing, onjuist, correctie, juist, verward, klopt niet",
    spoken_to="je, jij, jou, jouw, jullie, u, uw",
    kin="""
        moeder, vader, ouders, broer, zus, zoon, dochter, kind, kinderen, vrouw, man, partner, vriend, vriendin,
        oom, tante, neef, nicht, opa, oma, collega, buurman, buurvrouw, baas, huisgenoot
    """,
    states="""
        werkt, baan, leidt, leraar, medewerker: ontslag, ontslagen, pensioen, gestopt, overgestapt, aangenomen
        woont, huis, appartement, adres, gevestigd: verhuisd, verkocht, vertrokken
        heeft, rijdt, gebruikt, auto, fiets, telefoon: verkocht, verloren, gestolen, kapot, vervangen, ingeruild
        getrouwd, vrouw, man, partner, relatie: gescheiden, uit elkaar, weduw*
        vrijgezel, single: getrouwd, verloofd
        zwanger: geboren, bevallen
        open, wacht, concept, lopend: gesloten, goedgekeurd, afgewezen, klaar, opgelost, getekend, besloten
        gepland, datum, verloopt: uitgesteld, afgezegd, verlengd, vervroegd, nieuwe datum
        kapot, storing, defect: gerepareerd, gemaakt, werkt weer, opgelost
        ziek, gewond: genezen, hersteld
        rookt, drinkt, eet, koffie, vlees: gestopt, vegetari*, veganist*
        studeert, student, opleiding: afgestudeerd, geslaagd, gestopt
        geen, zonder, zoekt: gekregen, gekocht, geboren, gevonden, gehaald
        toegestaan: verboten
        verboten: toegestaan
        draait op, gehost, geschreven: gemigreerd, vervangen, overgestapt
        leeft, jaar oud: overleden, gestorven
    """,
    antonyms="""
        links/rechts
        aan, ingeschakeld/uit, uitgeschakeld
        open/gesloten, dicht
        houdt van, graag/haat
        getrouwd/vrijgezel, gescheiden
        toegestaan/verboten
        altijd/nooit
        voor/na
        voltijds/deeltijds
        openbaar/prive
        goedgekeurd/afgewezen
        snel/langzaam, traag
        duur/goedkoop
        ochtend/avond
        vegetarisch, vegetarier/vlees
        met/zonder
        eerste/laatste
    """,
    labels="""
        voorzitter, penningmeester, secretaris
        zoon, dochter
        geboren, opgegroeid, gestudeerd
        standaard, maximum, minimum, gemiddelde
        ontbijt, lunch, avondeten
    """,
    synonyms="""
        woont, wonen, woonachtig
        koopt, kopen
        begint, beginnen
        eindigt, eindigen
        weet, weten
        spreekt, spreken
        verstuurt, verzendt
        toont, tonen, laat zien
        repareert, repareren
        betaalt, betalen
        salaris, loon
        doceert, doceren
        studeert, studeren
        verhuist, verhuizen
        trouwt, trouwen
        overlijdt, sterft
        helpt, helpen
        probeert, proberen
        zoekt, zoeken, is op zoek naar
        vindt plaats, plaatsvindt, plaatsvinden
        verandert, veranderen
        wijzigt, wijzigen
        controleert, controleren
        annuleert, annuleren
        stelt uit, uitstellen
        verhoogt, verhogen
        verlaagt, verlagen
        publiceert, publiceren
        bevindt zich, bevinden zich
        hardlopen, hardloopt
        joggen, jogt
        klanten, clientele
        dokter, arts
        huisarts, huisdokter
        moeder, mama
        vader, papa
        ouders, vader en moeder, moeder en vader
        oma, grootmoeder
        opa, grootvader
        grootouders, opa en oma, oma en opa
        auto, personenauto
        fiets, rijwiel
        mobieltje, mobiele telefoon, gsm
        televisie, tv
        e mail, email, mail
        e mails, emails, mails
        gebruiker, user
        gebruikers, users
        wachtwoord, paswoord
        database, databank
        website, webstek
        broncode, sourcecode
        filiaal, bijkantoor
        ziekte, aandoening
        ziekten, ziektes, aandoeningen
        ziekenhuis, hospitaal
        voedingsmiddelen, levensmiddelen
        deadline, uiterste datum
        koelkast, ijskast
        sofa, zitbank
        sportschool, fitnesscentrum
        rijbewijs, rijvergunning
        aardappelen, aardappels
        langzaam, traag
        langzame, trage
        goedkoop, goedkope, niet duur
        gratis, kosteloos, kosteloze
        makkelijk, gemakkelijk
        zwanger, in verwachting
        dagelijks, dagelijkse, elke dag, iedere dag
        wekelijks, wekelijkse, elke week, iedere week
        maandelijks, maandelijkse, elke maand, iedere maand
        jaarlijks, jaarlijkse, elk jaar, ieder jaar
        ongeveer, circa, ca, om en nabij
        minstens, ten minste
        hoogstens, maximaal, ten hoogste, op zijn hoogst
        bijna, nagenoeg
        meestal, gewoonlijk, doorgaans
        normaal gesproken, in de regel
        vaak, dikwijls
        soms, af en toe, nu en dan
        meteen, onmiddellijk, terstond
        bijvoorbeeld, bijv
        vlak bij, vlakbij
        wegens, vanwege
        in plaats van, i p v
        vegetarier, eet geen vlees
        veganist, eet geen dierlijke producten
        geheelonthouder, drinkt geen alcohol, drinkt nooit alcohol
        niet roker, rookt niet, rookt nooit
        enig kind, heeft geen broers of zussen
        ongehuwd, ongetrouwd, niet getrouwd
        kinderloos, heeft geen kinderen
        linkshandig, schrijft met links
        thuiswerkt, werkt thuis, werkt vanuit huis
    """,
    numbers="""
        nul een twee drie vier vijf zes zeven acht negen tien elf twaalf/dozijn dertien veertien vijftien zestien
        zeventien achttien negentien
    """,
    ordinals="eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde",
    tens="twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    scales="duizend miljoen/mln miljard",
    months="""
        januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sep/sept oktober/okt
        november/nov december/dec
    """,
    weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)
