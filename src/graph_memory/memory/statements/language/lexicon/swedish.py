"""The Swedish lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

SWEDISH = Lexicon(
    analyser="swedish",
    common="""
        en ett den det de och eller men han hon hans hennes sin sitt sina deras ar var blir blev har hade av i pa
        till vid med for fran som att om sa jag min mitt vi ungefar cirka varje alla hos nar ur
    """,
    each_weekday="varje",
    tense="var hade blev/ar har blir",
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
