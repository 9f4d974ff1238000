"""Swedish."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

SWEDISH = Lexicon(
    analyser="swedish",
    has_compounds=True,
    clock_words="halv:-30, kvart over:15, kvart i:-15",
    common="""
        en ett den det de och eller men han hon hans hennes sin sitt sina deras ar var blir blev har hade av i pa
        till vid med for fran som att om sa jag min mitt vi ungefar cirka varje alla hos nar ur
    """,
    prepositions="i pa till vid med for fran av hos ur",
    coordinators="och eller",
    negations="inte, ingen, inget, inga, aldrig, ingenting, utan, ej, varken",
    endings="""
        inte langre, inte * langre, slutat, slutade, upphort, gett upp, sagt upp, salt, salde, lamnat, lamnade,
        forlorat, trasig, dott, avliden, skild, skilda, flyttat, avskaffat, installt, borttagen, stangt, over,
        utgatt
    """,
    changes="""
        flyttat, flyttade, bytt, bytte, andrat, andrats, hojt, hojts, sankt, sankts, minskat, okat, forlangt,
        uppskjutet, uppskjuten, flyttats, ersatt, bytt namn, migrerat, uppdaterat, befordrad, blivit, i stallet for,
        istallet, ny, nytt, nya, kopt, borjat
    """,
    now="nu, numera, idag, i dag, for narvarande, sedan, nyligen, hadanefter, just nu, nufortiden",
    wishes="""
        vill, skulle, planerar, hoppas, overvager, tanker, kanske, om, foreslar, forslag, mal, drommer, nasta ar,
        ifall, avser
    """,
    claims="sager, sade, sa att, pastar, enligt, tror, tycker, rykte, pastas",
    stand_ins="vikarierar, vikarie, tillfalligt, tills vidare, sa lange, lanad, lanat, under tiden",
    also="ocksa, dessutom, annan, annat, aven, likasa, andra, ytterligare",
    past="forr, tidigare, da, som barn, som student, i ungdomen, en gang, forut, under",
    ordering="sedan, darefter, forst, fore, efter, an, tills, i stallet, istallet",
    limits="bara, endast, enbart, utom, forutom, hogst, minst",
    singles="favorit*, huvud*, standard*, officiell*, aldsta, yngsta, basta",
    corrections="egentligen, i sjalva verket, fel, misstag, rattelse, felaktigt, faktiskt, forvaxlat",
    spoken_to="du, dig, din, ditt, dina, ni",
    kin="""
        mor, mamma, far, pappa, foraldrar, bror, syster, son, dotter, barn, fru, man, partner, flickvan, pojkvan,
        farbror, moster, faster, kusin, mormor, farmor, kollega, van, granne, chef
    """,
    states="""
        arbetar, jobbar, anstalld, leder, chef: slutat, sagt upp, pension, avskedad, bytt, ny tjanst
        bor, hus, lagenhet, adress: flyttat, salt, flyttade
        har, ager, kor, bil, telefon, cykel: salt, tappat, stulen, trasig, bytt
        gift, fru, man, sambo, ihop: skild, skilda, separerat, anka, ankling
        singel, ogift: gift, forlovad
        gravid: fott, fodd, fodde
        oppen, vantar, utkast, pagar: stangd, godkand, avslagen, klar, lost, undertecknad, beslutat
        planerad, datum, galler till: uppskjuten, installd, forlangd, flyttad
        trasig, sonder, ur funktion: lagad, reparerad, fungerar igen
        sjuk, skadad: frisk, aterstalld
        roker, dricker, ater, kaffe, kott: slutat, vegetarian, vegan
        studerar, student, kurs: examen, klarat, hoppat av
        ingen, inget, inga, utan, soker: fatt, kopt, fodd, hittat
        tillaten, tillatet: forbjuden, forbjudet
        forbjuden, forbjudet: tillaten, tillatet
        kors pa, skriven, databas: migrerat, ersatt, bytt
        lever, ar gammal: dott, avliden
    """,
    antonyms="""
        vanster/hoger
        pa, aktiverad/av, avstangd, avaktiverad
        oppen, oppet/stangd, stangt
        gillar, alskar/hatar, ogillar
        gift/ogift, singel, skild
        tillatet/forbjudet
        alltid/aldrig
        fore/efter
        heltid/deltid
        offentlig/privat
        godkand/avslagen
        snabb/langsam
        dyr/billig
        morgon/kvall
        vegetarian/kott
        med/utan
        forsta/sista
    """,
    labels="""
        ordforande, kassor, sekreterare
        son, dotter
        fodd, uppvuxen, studerade
        standard, max, min, medel
        frukost, lunch, middag
    """,
    synonyms="""
        bor, bo, bodde, bott, lever, leva, levde, bosatt, ar bosatt
        arbetar, arbeta, arbetade, arbetat, jobbar, jobba, jobbade, jobbat, ar anstalld
        ager, aga, agde, agt, ar agare till, agare av, agare till, innehar
        anvander, anvanda, anvande, anvant, nyttjar
        kopt, koper, kopa, kopte, inkopt, inhandlar, inhandlat, inhandlade
        salde, saljer, salja, salt, avyttrar, avyttrat, avyttrade
        borjat, borjar, borja, borjade, startar, starta, startade, startat, inleds, inleddes, tar sin borjan
        slutade, slutar, sluta, avslutas, avslutades, upphor, upphorde
        gillar, gilla, gillade, alskar, alska, alskade, tycker om, tyckte om, tycka om, ar fortjust i, garna, uppskattar
        gillar inte, gillade inte, tycker inte om, tyckte inte om, tycker illa om, ogillar, ogillade, hatar, hatade
        behover, behova, behovde, behovt, kraver, krava, kravde, ar i behov av
        tillater, tillata, tillat, tillaten, tillatet, tillatna, medger
        forbjuder, forbjuda, forbjod, forbjuden, forbjudet, forbjudna, far inte, inte tillaten, inte tillatet
        kanner, kanna, kande, ar bekant med, bekant med
        vet, veta, visste, vetat, kanner till, kande till
        talar, tala, talade, talat, pratar, prata, pratade, pratat
        traffar, traffa, traffade, traffat, sammantraffar
        skickar, skicka, skickade, skickat, sander, sanda, sande
        sparar, spara, sparade, sparat, lagrar, lagra, lagrade, lagrat
        bygger, bygga, byggde, byggt, uppfor, uppforde
        lagar, lagade, lagat, reparerar, reparera, reparerade, reparerat, atgardar, atgardat, fixar, fixade, fixat
        borttagen, tar bort, tog bort, tagit bort, raderar, radera, raderade, raderat, avlagsnar, avlagsnat
        betalar, betala, betalade, betalat, erlagger
        kostar, kosta, kostade, kostat, pris, priset, priser
        lon, lonen, tjanar, tjana, tjanade
        leder, leda, ledde, lett, star i spetsen for, ar ledare for
        undervisar, undervisa, undervisade, undervisat, larare, lararinna
        studerar, studera, studerade, studerat, pluggar, pluggade, laser till
        ringer, ringa, ringde, ringt, telefonerar, telefonerade, slar en signal till
        svarar, svara, svarade, svarat, besvarar, besvarade
        fatt, fick, erhaller, erholl, mottog, mottagit
        flyttade, flyttar, flytta, flyttat, flytt, byter bostad, bytt bostad
        gifter sig, gifte sig, gift sig, brollop, vigsel, giftermal
        dott, dog, dor, dod, avliden, avled, avlidit, gick bort, gatt bort, inte langre i livet
        fodd, foddes, fodds, fott, kom till varlden, fodelse
        hjalper, hjalpa, hjalpte, hjalpt, bistar, stodjer, stodde
        forsoker, forsoka, forsokte, forsokt, provar att
        letar efter, leta efter, letade efter, soker, soka, sokte, sokt, ar pa jakt efter
        hittar, hitta, hittade, hittat, finner, fann, funnit
        andrat, andrar, andra, andrade, forandrar, forandrat, andring, forandring
        kontrollerar, kontrollera, kontrollerade, kontrollerat, kollar, kollade, granskar, granskat, kontroll
        ager rum, agde rum, halls, holls, hallas, genomfors
        installt, stalls in, stallde in, installd, avbokad, avbokat, avlyst, blir inte av, blev inte av
        uppskjuten, skjuts upp, skot upp, uppskjutet, skjutits upp, senarelagd, senarelagt, framflyttad
        heter, heta, hette, hetat, namn ar, vid namn
        innehaller, innehalla, innehall, inneholl
        kommer fran, kom fran, harstammar fran, ar fran, bordig fran
        hojt, hojer, hoja, hojde, hojd, okar, oka, okade, okat, okning
        sankt, sanker, sanka, sankte, minskar, minska, minskade, minskat, reducerar, reducerat, minskning, sankning
        publicerar, publicera, publicerade, publicerat, ger ut, gav ut, utgiven, slapper, slappte
        ersatt, ersatter, ersatta, ersatte, byter ut, bytte ut, bytt ut, utbytt
        grundade, grundat, grundades, grundar, bildades, bildade
        besoker, besoka, besokte, besokt, halsar pa, halsade pa, pa besok hos
        klar, klart, fardig, fardigt, slutford, slutfort, avklarad
        ligger, ligga, befinner sig, befann sig, ar belagen, belagen, belaget
        joggar, jogga, joggade, jogging, springer, springa, sprang, lopning
        uppdaterat, uppdaterar, uppdatera, uppdaterade, uppdatering, update
        maste, ar tvungen att, ar skyldig att
        foretag, foretaget, firma, bolag, bolaget
        chef, chefen, boss, overordnad
        kollega, kollegor, arbetskamrat, arbetskamrater, jobbarkompis
        anstallda, medarbetare, personal, personalen
        kund, kunder, klient, klienter
        lakare, doktor, lakaren
        barn, barnen, ungar
        fru, hustru
        man, akta man
        mamma, mor, moder, morsa
        pappa, far, fader, farsa
        foraldrar, mamma och pappa, mor och far
        syskon, broder och systrar, bror och syster
        bror, broder, brorsa
        syster, syrra
        van, vanner, kompis, kompisar, polare
        husdjur, sallskapsdjur
        bil, bilar, bilen, personbil
        mobil, mobilen, mobiltelefon, smartphone, smartmobil
        dator, datorer, datorn, pc
        barbar dator, laptop
        tv, teve, television, tv apparat
        foto, foton, fotografi, fotografier
        film, filmer, spelfilm
        mote, moten, motet, sammantrade
        e post, epost, mejl, mejlet, mail, e mail
        fel, bugg, buggar
        funktion, funktioner, funktionalitet, feature
        anvandare, anvandaren, user
        losenord, losenordet, losen
        databas, databaser, databasen, db
        webbplats, webbsida, hemsida, sajt
        version, utgava
        huvudkontor, huvudkontoret, hogkvarter, huvudsate
        filial, filialer, lokalkontor
        skuld, skulder, ar skyldig pengar
        hyra, hyran, hyreskostnad
        sjukdom, sjukdomar, akomma
        medicin, mediciner, lakemedel, medikament
        sjukhus, sjukhuset, lasarett
        livsmedel, matvaror
        frisor, harfrisor
        vd, verkstallande direktor, ceo
        deadline, sista datum, slutdatum, tidsfrist
        telefonnummer, tel, telefon
        kylskap, kyl
        gym, gymmet, traningslokal
        stor, stort, stora, jattestor, enorm
        liten, litet, sma, pytteliten
        snabb, snabbt, snabba, fort, rask
        langsam, langsamt, langsamma, sakta
        dyr, dyrt, dyra, kostsam, kostsamt
        begagnad, begagnat, begagnade, second hand, andrahands
        gratis, kostnadsfri, kostnadsfritt, utan kostnad, avgiftsfri
        tyst, tysta, ljudlos, ljudlost
        sjuk, sjukt, sjuka, insjuknad
        trasig, trasigt, trasiga, sonder, fungerar inte, ur funktion, defekt
        latt, enkel, enkelt, enkla
        gravid, vantar barn
        radd, radsla, fruktar
        glad, glada, lycklig
        favorit, alsklings
        dagligen, daglig, dagliga, varje dag, per dag, om dagen
        veckovis, varje vecka, per vecka
        manatligen, manatlig, varje manad, per manad, i manaden
        arligen, arlig, arliga, varje ar, per ar, om aret
        ungefar, cirka, ca, omkring, runt
        minst, atminstone, minimum
        hogst, maximalt, max, som mest
        nastan, nara nog, narapa
        pa natten, om natten, nattetid, pa natterna
        pa morgonen, om morgonen, pa morgnarna
        pa kvallen, om kvallen, pa kvallarna, kvallstid
        vanligtvis, i regel, for det mesta, normalt, brukar
        ofta, frekvent, manga ganger
        sallan, inte ofta
        ibland, da och da, emellanat, stundtals
        tillsammans, ihop, gemensamt
        genast, omedelbart, direkt, med en gang
        till exempel, t ex, exempelvis
        nara, i narheten av, inte langt fran
        pa grund av, p g a, pga, till foljd av
        i stallet for, istallet for
        vegetarian, vegetarisk, vegetariskt, ater inte kott, ater inget kott
        vegan, vegansk, ater inga animaliska produkter, ater inget animaliskt
        nykterist, helnykterist, dricker inte alkohol, dricker ingen alkohol
        icke rokare, ickerokare, roker inte
        ensambarn, enda barnet, har inga syskon
        ogift, inte gift
        barnlos, har inga barn, utan barn
        arbetslos, utan arbete, har inget jobb, saknar arbete
        dov, kan inte hora, dova
        blind, kan inte se, blinda
        vansterhant, skriver med vanster
        analfabet, kan inte lasa eller skriva
        hemlos, saknar bostad, utan bostad
        distansarbete, jobbar hemifran, arbetar hemifran
        lugn, lugnt, lugna, stilla
    """,
    numbers="""
        noll en/ett tva tre fyra fem sex sju atta nio tio elva tolv/dussin tretton fjorton femton sexton sjutton
        arton nitton
    """,
    ordinals="forsta andra tredje fjarde femte sjatte sjunde attonde nionde tionde elfte tolfte",
    tens="tjugo trettio fyrtio femtio sextio sjuttio attio nittio",
    scales="tusen miljon/miljoner miljard/miljarder",
    months="""
        januari/jan februari/feb mars april/apr maj juni/jun juli/jul augusti/aug september/sep/sept oktober/okt
        november/nov december/dec
    """,
    weekdays="""
        mandag/mandagar tisdag/tisdagar onsdag/onsdagar torsdag/torsdagar fredag/fredagar lordag/lordagar
        sondag/sondagar
    """,
)
