"""The German lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

GERMAN = Lexicon(
    analyser="german",
    common="""
        der die das den dem des ein eine einen einem einer eines und oder aber er sie es ihr ihre ihren ihrem ihrer
        sein seine seinen seinem seiner ist sind war waren wurde wurden hat haben hatte hatten zu zum
        zur in im am an auf bei beim von vom mit fur aus als wie dass daß so da dann man sich etwa rund circa ca ungefahr
        jeden jede jedes jeder immer sehr um durch ich mein meine wir uns nach uber unter
    """,
    each_weekday="jeden jede",
    tense="war waren hatte hatten wurde wurden/ist sind hat haben wird werden",
    negations="nicht, kein, keine, keinen, keinem, keiner, nie, niemals, nichts, niemand, ohne, weder, noch nie",
    endings="""
        nicht mehr, kein* mehr, aufgehort, aufgegeben, hort auf, gibt * auf, beendet, endet, gekundigt, kundigt*,
        verkauft, verkaufte, abgesetzt, abgeschafft, eingestellt, abgebrochen, verlassen, verloren, kaputt,
        gestorben, verstorben, getrennt, geschieden, ausgezogen, ausgetreten, abgelaufen, aufgehoben, abgesagt,
        entfernt, geloscht, stillgelegt, geschlossen, vorbei, entfallt, entfallen, weggefallen, zuruckgetreten,
        ausgeschieden, losgeworden, verschenkt, abgemeldet,
        ruckgangig gemacht, widerrufen, zuruckgenommen, revidiert, verworfen, zugunsten, abgelost,
        gegen * entschied*, entschied* * gegen, gegen * gestimmt, stimmt* gegen
    """,
    changes="""
        umgezogen, gewechselt, wechselt*, geandert, verandert, angehoben, erhoht, gesenkt, verringert, reduziert,
        verlangert, verkurzt, verschoben, vorverlegt, verlegt, umbenannt, ersetzt, umgestellt, umgestiegen,
        migriert, aktualisiert, befordert, ubernommen, ist jetzt, wurde zu, gestiegen, gesunken, gefallen,
        gewachsen, statt, anstatt, stattdessen, neu, neue, neuer, neuen, neues, zieht um, zog, umgebaut, getauscht,
        ausgetauscht, versetzt, gekauft, angefangen, begonnen
    """,
    now="""
        jetzt, nun, inzwischen, mittlerweile, heute, derzeit, aktuell, zurzeit, seit, seitdem, neuerdings, ab
        sofort, nunmehr, kurzlich, seit kurzem, zuletzt
    """,
    wishes="""
        mochte, mochten, wurde gern*, wollte, will, wollen, plant, plane, planen, geplant, hofft, uberlegt, erwagt,
        beabsichtigt, falls, wenn, vielleicht, konnte, sollte, eventuell, womoglich, vorschlag, vorgeschlagen, ziel,
        traumt, nachstes jahr, nachsten monat, wunscht sich, vorhat, hat vor, in erwagung, demnachst
    """,
    claims="sagt, sagte, behauptet, laut, meint, glaubt, angeblich, soll, gerucht*, denkt, vermutet, findet, zufolge",
    reasons="weil, denn",
    stand_ins="""
        vertritt, vertretung, vertretungsweise, vorubergehend, zeitweise, einstweilen, solange, springt * ein,
        leihweise, geliehen, ausgeliehen, aushilfsweise
    """,
    also="""
        auch, ausserdem, zusatzlich, noch ein, noch eine, noch einmal, noch einen, weiterer, weitere, weiteres,
        ebenfalls, ebenso, zudem, zweite, zweiter, daneben
    """,
    past="fruher, damals, ehemals, einst, als kind, als student*, vorher, zuvor, in der jugend, seinerzeit, wahrend",
    misleading="nicht nur, nur noch, noch nicht, wenn auch, sowohl als auch",
    limits="nur, ausschliesslich, ausser, lediglich, bloss, allein, hochstens, mindestens",
    singles="liebling*, lieblings*, haupt*, standard*, offiziell*, alteste*, jungste*, beste*, grosste*",
    holds_one="""
        wohnt in, lebt in, arbeitet bei, arbeitet fur, angestellt bei, verheiratet mit, verlobt mit,
        liiert mit, studiert in, sitz in, gehostet bei
    """,
    copulas="ist heisst",
    corrections="""
        eigentlich, in wirklichkeit, tatsachlich, falsch, irrtum, irrtumlich, stimmt nicht, verwechselt,
        verwechslung, korrektur, berichtigung, doch, vielmehr, fehler
    """,
    spoken_to="du, dich, dir, dein, deine, deinen, deinem, deiner, euch, euer, eure, euren, eurem",
    kin="""
        mutter, vater, eltern, bruder, schwester, geschwister, sohn, tochter, kind, kinder, frau, mann, ehefrau,
        ehemann, partner, partnerin, freund, freundin, onkel, tante, cousin, cousine, oma, opa, grossmutter,
        grossvater, neffe, nichte, kollege, kollegin, kollegen, nachbar, nachbarin, chef, chefin, mitbewohner*,
        vorganger*, nachfolger*, assistent*, schwager, schwiegermutter, schwiegervater
    """,
    states="""
        arbeitet, angestellt, beschaftigt, stelle, beruf, leitet, leiter*, ingenieur*, lehrer*: gekundigt, entlassen, rente, pensioniert, gewechselt, verlassen, ausgeschieden, abgegeben, ubergeben, neuer arbeitgeber, ruhestand, arbeitslos
        wohnt, lebt, zuhause, wohnung, haus, adresse, sitz, miete: umgezogen, ausgezogen, verkauft, gezogen, zieht, verlegt, ausgewandert
        hat, besitzt, fahrt, nutzt, benutzt, auto, handy, rad: verkauft, verloren, gestohlen, kaputt, ersetzt, verschenkt, abgegeben, getauscht
        verheiratet, frau, mann, partner*, freundin, freund, zusammen, verlobt: geschieden, getrennt, trennung, scheidung, verwitwet, single
        ledig, single, geschieden: geheiratet, heiratet, hochzeit, verlobt
        schwanger: geboren, geburt, kam zur welt, entbunden
        offen, wartet, ausstehend, in prufung, entwurf, unklar, lauft: abgeschlossen, genehmigt, abgelehnt, erledigt, entschieden, unterschrieben, fertig, gelost, bestanden, angenommen, bezahlt
        geplant, termin, findet, frist, gilt bis, beginnt, endet: verschoben, abgesagt, verlangert, vorverlegt, neuer termin, verlegt
        kaputt, defekt, storung, ausgefallen, fehlerhaft, undicht: repariert, behoben, funktioniert wieder, lauft wieder, ersetzt, geht wieder
        krank, verletzt, behandlung, therapie: gesund, genesen, entlassen, geheilt
        nimmt, tabletten, medikament*, mittel: abgesetzt, umgestellt, eingestellt
        raucht, trinkt, isst, kaffee, fleisch, alkohol, spielt: aufgehort, verzichtet, aufgegeben, vegan, vegetarisch, nichtraucher*, abstinent
        studiert, student*, lehrling, ausbildung, schule, lernt: abschluss, bestanden, abgebrochen, abgeschlossen, fertig
        kein, keine, keinen, ohne, sucht: bekommen, gekauft, geboren, bestanden, gefunden, erhalten, adoptiert
        erlaubt, unterstutzt, moglich: verboten, untersagt, eingestellt, entfernt, abgeschafft
        verboten, untersagt: erlaubt, zugelassen, gestattet
        lauft auf, gehostet, geschrieben, datenbank, verwendet, nutzt: migriert, gewechselt, umgestellt, ersetzt, abgelost
        lebt, jahre alt: gestorben, verstorben, tot
        mitglied, abo, abonn*: ausgetreten, gekundigt, beendet
    """,
    antonyms="""
        links/rechts
        an, eingeschaltet, aktiviert/aus, ausgeschaltet, deaktiviert
        offen, geoffnet/geschlossen, zu
        mag, liebt, gern, gerne/hasst, ungern, verabscheut
        verheiratet/ledig, geschieden
        erlaubt/verboten
        immer/nie
        vor/nach
        vollzeit/teilzeit
        offentlich/privat, geheim
        kaputt, defekt/repariert, funktioniert
        angenommen, genehmigt/abgelehnt
        schnell/langsam
        teuer/billig, gunstig
        gesund/krank
        morgens/abends
        vegetarisch, vegan, vegetarier*/fleisch
        mit/ohne
        erste, erster/letzte, letzter
        pflicht/freiwillig
        manuell, von hand/automatisch
    """,
    labels="""
        standard, hochst*, maximal*, minimal*, durchschnitt*
        sohn, tochter
        vorsitzende*, kassier*, schatzmeister*, schriftfuhrer*
        geboren, aufgewachsen, studiert
        dienst*, privat*
        fruhstuck, mittagessen, abendessen
        eingang, ausgang
        obergeschoss, erdgeschoss, keller, kuche, bad
    """,
    numbers="""
        null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn
        siebzehn achtzehn neunzehn
    """,
    ordinals="erste zweite dritte vierte funfte sechste siebte achte neunte zehnte elfte zwolfte",
    tens="zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    scales="tausend/tsd million/millionen/mio milliarde/milliarden/mrd",
    months="""
        januar/jan februar/feb marz/mrz april/apr mai juni/jun juli/jul august/aug september/sep/sept oktober/okt
        november/nov dezember/dez
    """,
    weekdays="montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
)
