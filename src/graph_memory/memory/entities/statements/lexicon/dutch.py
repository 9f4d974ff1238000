"""Dutch."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

DUTCH = Lexicon(
    analyser="dutch",
    number_code="nl",
    has_compounds=True,
    clock_words="half:-30, kwart over:15, kwart voor:-15",
    common="""
        de het een en of maar hij zij ze haar zijn hun is was waren wordt worden heeft hebben had van in op aan te
        bij met voor uit als dat die dit er om tot ik mijn wij we ongeveer circa elke elk alle iedere ieder door
        naar zich ook
    """,
    prepositions="in op aan bij met voor uit van naar door te",
    coordinators="en of",
    negations="niet, geen, nooit, niets, niemand, zonder, noch",
    endings="""
        niet meer, geen * meer, gestopt, stopt, opgehouden, opgegeven, beeindigd, ontslag, opgezegd, verkocht,
        afgeschaft, verlaten, verloren, kapot, overleden, gestorven, gescheiden, verhuisd, vervallen, geannuleerd,
        verwijderd, gesloten, voorbij, ingetrokken
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
    stand_ins="vervangt tijdelijk, tijdelijk, waarnemend, zolang, valt in, in de tussentijd, geleend, voorlopig",
    also="ook, bovendien, daarnaast, nog een, eveneens, tevens, tweede, ander, andere",
    past="vroeger, destijds, ooit, als kind, als student, voorheen, eerder, in zijn jeugd, in haar jeugd, tijdens",
    ordering="daarna, eerst, voor, na, dan, tot, in plaats",
    limits="alleen, slechts, uitsluitend, behalve, enkel, hoogstens, minstens",
    singles="favoriete, lievelings*, hoofd*, standaard*, officiele, oudste, jongste, beste",
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
        woont, wonen, woonde, gewoond, woonachtig, leeft, leven, leefde
        werkt, werken, werkte, gewerkt, is werkzaam, werkzaam, in dienst bij
        bezit, bezitten, bezat, in het bezit van, is eigenaar van, eigenaar van, eigenares van
        gebruikt, gebruiken, gebruikte, benut, maakt gebruik van
        gekocht, koopt, kopen, kocht, schaft aan, aangeschaft, aanschaft
        verkocht, verkoopt, verkopen, verkoop, van de hand gedaan
        begonnen, begint, beginnen, begon, start, starten, startte, gestart, gaat van start
        eindigt, eindigen, eindigde, geeindigd, loopt af, is voorbij
        stopt met, gestopt met, stopte met, houdt op met, hield op met, opgehouden met
        houdt van, hield van, houden van, vindt leuk, vindt lekker, graag, dol op, is gek op, is een fan van
        houdt niet van, hield niet van, vindt niet leuk, vindt niet lekker, heeft een hekel aan, haat, haten, haatte
        nodig, heeft nodig, behoefte aan, vereist, vereisen, vergt
        mag, mogen, mocht, toegestaan, staat toe, geoorloofd, laat toe, toegelaten
        mag niet, mogen niet, verboden, verbiedt, verbieden, verbood, niet toegestaan, niet toegelaten
        kent, kennen, kende, gekend, bekend met
        weet, weten, geweten, is op de hoogte van
        spreekt, spreken, sprak, gesproken, praat, praten, praatte
        stuurt, sturen, stuurde, gestuurd, zendt, zenden, zond, gezonden, verstuurt, verstuurd, verzendt, verzonden
        bewaart, bewaren, bewaarde, bewaard, slaat op, opgeslagen, opslaat, sloeg op
        toont, tonen, toonde, getoond, laat zien, liet zien, geeft weer, weergegeven
        repareert, repareren, repareerde, gerepareerd, hersteld, herstelt, verhelpt, verholpen
        verwijderd, verwijdert, verwijderen, verwijderde, gewist, wissen
        betaalt, betalen, betaalde, betaald, rekent af, afgerekend
        kost, kosten, kostte, gekost, prijs, prijzen
        salaris, salarissen, loon, verdient, verdienen, verdiende
        leidt, leiden, leidde, geleid, geeft leiding aan, gaf leiding aan, staat aan het hoofd van
        geeft les, gaf les, lesgeeft, doceert, doceren, onderwijst, leraar, lerares, docent, docente, leerkracht
        studeert, studeren, studeerde, gestudeerd, volgt een studie
        eet, eten, at, gegeten, nuttigt
        belt, bellen, belde, gebeld, telefoneert, telefoneren, belt op, opgebeld
        antwoordt, antwoorden, antwoordde, geantwoord, antwoord, beantwoordt, beantwoord
        krijgt, krijgen, kreeg, gekregen, ontvangt, ontvangen, ontving
        verhuisd, verhuist, verhuizen, verhuisde, verhuizing
        trouwt, trouwen, trouwde, huwelijk, bruiloft, in het huwelijk getreden
        overleden, overlijdt, overleed, gestorven, sterft, stierf, dood, niet meer in leven
        geboren, ter wereld gekomen, kwam ter wereld, geboorte
        helpt, helpen, hielp, geholpen, ondersteunt, ondersteunen, ondersteunde
        probeert, proberen, probeerde, geprobeerd, poogt
        zoekt, zoeken, zocht, gezocht, is op zoek naar, op zoek naar
        vindt plaats, vond plaats, plaatsgevonden, plaatsvindt, plaatsvinden, wordt gehouden
        veranderd, verandert, veranderen, veranderde, wijzigt, wijzigen, wijzigde, gewijzigd, wijziging, verandering
        controleert, controleren, controleerde, gecontroleerd, checkt, gecheckt, gaat na
        geannuleerd, afgezegd, zegt af, zei af, annuleert, annuleren, afgelast, gaat niet door, ging niet door
        uitgesteld, stelt uit, stelde uit, uitstellen, verschoven, verzet naar
        heet, heten, heette, geheten, is genaamd, genaamd, naam is, draagt de naam
        bevat, bevatten, bevatte, omvat
        duurt, duurde, geduurd, tijdsduur
        komt uit, kwam uit, afkomstig uit, is afkomstig van
        verhoogd, verhoogt, verhogen, verhoogde, verhoging
        verlaagd, verlaagt, verlagen, verlaagde, verlaging, verminderd, vermindert, teruggebracht
        publiceert, publiceren, publiceerde, gepubliceerd, brengt uit, uitgebracht
        opgericht, richtte op, richt op, gesticht, oprichting
        bezoekt, bezoeken, bezocht, gaat op bezoek bij, op bezoek bij
        afgerond, voltooid, rondt af, afgemaakt
        bevindt zich, bevinden zich, bevond zich, ligt, liggen, lag, gelegen, is gevestigd
        hardlopen, hardloopt, loopt hard, joggen, jogt, jogde, gaat hardlopen
        bijgewerkt, update, updates, bijwerken, geupdatet
        moet, moeten, moest, is verplicht om
        appartement, appartementen, flat, flatje
        baan, banen, job, betrekking
        bedrijf, bedrijven, firma, onderneming, ondernemingen
        baas, bazin, chef, leidinggevende
        medewerker, medewerkers, werknemer, werknemers, personeel, personeelsleden
        klant, klanten, clientele
        dokter, arts, artsen, medicus
        huisarts, huisdokter
        kind, kinderen, kids
        vrouw, echtgenote
        man, echtgenoot
        moeder, mama, mam, ma
        vader, papa, pap, pa
        ouders, vader en moeder, moeder en vader
        oma, grootmoeder
        opa, grootvader
        grootouders, opa en oma, oma en opa
        broers en zussen, broer en zus
        zus, zuster
        auto, autos, wagen, personenauto
        fiets, fietsen, rijwiel
        mobiel, mobieltje, mobiele telefoon, smartphone, gsm
        computer, computers, pc
        laptop, laptops, notebook
        televisie, tv, televisietoestel
        film, films, speelfilm
        vergadering, vergaderingen, meeting, overleg, bespreking
        e mail, e mails, email, emails, mail, mails
        fout, fouten, bug, bugs
        functie, functies, functionaliteit, feature
        gebruiker, gebruikers, user, users
        wachtwoord, wachtwoorden, paswoord
        database, databases, databank, db
        website, websites, webstek, site
        bestand, bestanden, file
        broncode, sourcecode
        hoofdkantoor, hoofdzetel, hoofdkwartier, hoofdvestiging
        filiaal, filialen, vestiging, bijkantoor
        schuld, schulden, verschuldigd
        huur, huurprijs
        ziekte, ziekten, ziektes, aandoening, aandoeningen
        medicijn, medicijnen, geneesmiddel, geneesmiddelen, medicatie
        ziekenhuis, ziekenhuizen, hospitaal
        voedsel, voedingsmiddelen, levensmiddelen
        ceo, algemeen directeur
        deadline, uiterste datum
        telefoonnummer, tel
        koelkast, ijskast
        bank, sofa, zitbank
        sportschool, fitnesscentrum, gym
        rijbewijs, rijvergunning
        aardappel, aardappelen, aardappels, patatten
        groot, grote, reusachtig, enorm, enorme
        klein, kleine, piepklein
        snel, snelle, vlug, rap
        langzaam, langzame, traag, trage
        duur, dure, kostbaar, prijzig
        goedkoop, goedkope, voordelig, niet duur
        tweedehands, van de tweede hand
        gratis, kosteloos, kosteloze
        rustig, rustige, stil, stille, kalm, kalme
        kapot, kapotte, defect, stuk, werkt niet, buiten werking
        moeilijk, moeilijke, lastig, lastige, niet makkelijk
        makkelijk, makkelijke, gemakkelijk, eenvoudig, eenvoudige, simpel
        zwanger, in verwachting, verwacht een kind, verwacht een baby
        bang, angst, vreest
        blij, gelukkig, verheugd
        favoriet, favoriete, lievelings
        dagelijks, dagelijkse, elke dag, iedere dag, per dag
        wekelijks, wekelijkse, elke week, iedere week, per week
        maandelijks, maandelijkse, elke maand, iedere maand, per maand
        jaarlijks, jaarlijkse, elk jaar, ieder jaar, per jaar
        ongeveer, circa, ca, zowat, om en nabij
        minstens, ten minste, tenminste, minimaal, op zijn minst
        hoogstens, maximaal, ten hoogste, op zijn hoogst
        bijna, haast, nagenoeg
        s nachts, in de nacht
        s ochtends, s morgens, in de ochtend
        s avonds, in de avond
        meestal, gewoonlijk, doorgaans, normaal gesproken, in de regel
        vaak, dikwijls
        zelden, niet vaak
        soms, af en toe, nu en dan, bij gelegenheid
        samen, gezamenlijk, met elkaar
        meteen, onmiddellijk, direct, terstond
        bijvoorbeeld, bijv, bv
        dichtbij, dicht bij, nabij, vlak bij, vlakbij, in de buurt van
        wegens, vanwege, omwille van
        in plaats van, i p v
        vegetarisch, vegetarier, vegetarische, eet geen vlees, zonder vlees
        veganistisch, veganist, vegan, eet geen dierlijke producten
        geheelonthouder, drinkt geen alcohol, drinkt nooit alcohol
        niet roker, rookt niet, rookt nooit
        enig kind, heeft geen broers of zussen
        ongehuwd, ongetrouwd, niet getrouwd, vrijgezel
        kinderloos, heeft geen kinderen, zonder kinderen
        werkloos, werkeloos, heeft geen werk, zonder werk
        doof, dove, kan niet horen
        blind, blinde, kan niet zien
        linkshandig, schrijft met links
        dakloos, heeft geen vaste woonplaats
        thuiswerken, thuiswerkt, werkt thuis, werkt vanuit huis
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
    weekdays="""
        maandag/maandagen dinsdag/dinsdagen woensdag/woensdagen donderdag/donderdagen vrijdag/vrijdagen
        zaterdag/zaterdagen zondag/zondagen
    """,
)
