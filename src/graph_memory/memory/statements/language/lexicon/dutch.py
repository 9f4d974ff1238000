"""The Dutch lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

DUTCH = Lexicon(
    analyser="dutch",
    common="""
        de het een en of maar hij zij ze haar zijn hun is was waren wordt worden heeft hebben had van in op aan te
        bij met voor uit als dat die dit er om tot ik mijn wij we ongeveer circa elke elk alle iedere ieder door
        naar zich ook
    """,
    each_weekday="elke iedere",
    tense="was waren had hadden werd werden/is zijn heeft hebben wordt",
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
