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
    every="varje",
    linking="av",
    alternatives="eller",
    tense="var hade blev/ar har blir",
    past_ending="ade dde te",
    coordinators="och eller",
    negations="inte, ingen, inget, inga, aldrig, ingenting, utan, ej, varken",
    endings="""
        inte langre, inte * langre, slutat, slutade, upphort, gett upp, sagt upp, salt, salde, lamnat, lamnade,
        forlorat, trasig, dott, avliden, skild, skilda, flyttat, avskaffat, installt, borttagen, stangt, over,
        utgatt,
        aterkallat, aterkallad, upphavt, upphavd, till forman for,
        bestamt * mot, bestamde * mot, beslutat * mot, rostade mot, valt bort
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
    reasons="eftersom, darfor att, for att",
    stand_ins="vikarierar, vikarie, tillfalligt, tills vidare, sa lange, lanad, lanat, under tiden",
    also="ocksa, dessutom, annan, annat, aven, likasa, andra, ytterligare",
    past="forr, tidigare, da, som barn, som student, i ungdomen, en gang, forut, under",
    ordering="sedan, darefter, forst, fore, efter, an, tills, i stallet, istallet",
    limits="bara, endast, enbart, utom, forutom, hogst, minst",
    singles="favorit*, huvud*, standard*, officiell*, aldsta, yngsta, basta",
    holds_one="""
        bor i, arbetar pa, arbetar hos, jobbar pa, jobbar hos, gift med, forlovad med, studerar i, pluggar i
    """,
    copulas="ar",
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
        anvander, nyttjar
        koper, kopa
        saljer, salja
        borjar, borja
        gillar, tycker om, gilla, tycka om
        gillar inte, tycker inte om
        behover, behova
        tillater, tillata
        vet, veta
        talar, tala, pratar, prata
        skickar, skicka
        bygger, bygga
        reparerar, reparera
        raderar, radera
        betalar, betala
        kostar, kosta
        undervisar, undervisa
        studerar, pluggar
        hjalper, hjalpa
        forsoker, forsoka
        kontrollerar, kontrollera
        innehaller, innehalla
        minskar, minska
        publicerar, publicera
        joggar, jogga
        uppdaterar, uppdatera
        uppdatering, update
        foretag, bolag
        foretaget, bolaget
        kollega, arbetskamrat, jobbarkompis
        kollegor, arbetskamrater
        mamma, morsa
        pappa, farsa
        foraldrar, mamma och pappa
        bror, brorsa
        syster, syrra
        husdjur, sallskapsdjur
        bil, personbil
        barbar dator, laptop
        tv, teve
        foton, fotografier
        e post, epost, mejl, mail, e mail
        webbplats, sajt
        sjukdom, akomma
        sjukhus, lasarett
        livsmedel, matvaror
        vd, verkstallande direktor
        deadline, sista datum, slutdatum
        dyr, kostsam
        dyrt, kostsamt
        gratis, kostnadsfri, kostnadsfritt, avgiftsfri, utan kostnad
        dagligen, varje dag
        manatligen, varje manad
        arligen, varje ar
        ungefar, cirka, ca
        maximalt, som mest
        nastan, nara nog, narapa
        vanligtvis, i regel
        ibland, da och da, emellanat, stundtals
        genast, omedelbart, med en gang
        till exempel, t ex, exempelvis
        i narheten av, inte langt fran
        pa grund av, p g a, pga
        i stallet for, istallet for
        vegetarian, ater inte kott, ater inget kott
        vegan, ater inga animaliska produkter, ater inget animaliskt
        nykterist, helnykterist, dricker inte alkohol, dricker ingen alkohol
        icke rokare, ickerokare, roker inte
        ensambarn, har inga syskon
        ogift, inte gift
        barnlos, har inga barn
        vansterhant, skriver med vanster
        analfabet, kan inte lasa eller skriva
        jobbar hemifran, arbetar hemifran
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
    weekdays="mandag tisdag onsdag torsdag fredag lordag sondag",
)
