"""German."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

GERMAN = Lexicon(
    analyser="german",
    number_code="de",
    has_compounds=True,
    particles="ein aus auf zu um an ab vor nach mit los weg zuruck",
    clock_words="halb:-30, viertel nach:15, viertel vor:-15",
    common="""
        der die das den dem des ein eine einen einem einer eines und oder aber er sie es ihr ihre ihren ihrem ihrer
        sein seine seinen seinem seiner ist sind war waren wurde wurden hat haben hatte hatten zu zum
        zur in im am an auf bei beim von vom mit fur aus als wie dass daß so da dann man sich etwa rund circa ca ungefahr
        jeden jede jedes jeder immer sehr um durch ich mein meine wir uns nach uber unter
    """,
    prepositions="seit wegen ohne gegen bis in im am an auf bei beim von vom mit fur aus als nach uber unter zu zum zur durch",
    every="jeden jede",
    linking="von des der",
    alternatives="oder",
    tense="war waren hatte hatten wurde wurden/ist sind hat haben wird werden",
    past_ending="te ten",
    coordinators="und oder",
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
    ordering="dann, danach, zuerst, erst, vor, nach, bevor, nachdem, als, statt, bis",
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
    synonyms="""
        wohnt, wohnen, wohnhaft, lebt, leben
        kaputt, defekt, ausser betrieb
        besitzt, besitzen
        benutzt, verwendet
        benutzen, verwenden
        kauft, kaufen
        verkauft, veraussert
        verkaufen, veraussern
        beginnt, beginnen, fangt an, fangen an, anfangt, anfangen
        endet, enden
        mag, mogen
        mag kein, mag keine, mag keinen
        hasst, hassen, verabscheut
        braucht, brauchen, benotigt, benotigen
        erlaubt, gestattet
        erlauben, gestatten
        nicht erlaubt, nicht gestattet
        trifft sich mit, treffen sich mit
        verschickt, versendet
        speichert, speichern
        bewahrt auf, aufbewahren
        zeigt, zeigen
        baut, bauen
        behebt, beheben
        verzehrt, verspeist
        ruft an, anruft
        bekommt, kriegt
        spricht, sprechen
        zieht um, umzieht, umziehen
        heiratet, heiraten
        stirbt, sterben
        hilft, helfen
        anderung, veranderung
        pruft, prufen
        findet statt, stattfindet, stattfinden
        fallt aus, ausfallt
        verschiebt, verschieben
        enthalt, beinhaltet
        dauert, dauern
        reduziert, verringert
        reduzieren, verringern
        senkt, senken
        veroffentlicht, publiziert
        veroffentlichen, publizieren
        tauscht aus, austauschen
        befindet sich, befinden sich
        joggt, joggen
        aktualisierung, update
        zuhause, zu hause, daheim
        wohnung, apartment, appartement
        chef, boss
        kollege, arbeitskollege
        kollegin, arbeitskollegin
        kunden, kundschaft
        allgemeinarzt, allgemeinmediziner
        zahnarzt, zahnmediziner
        ehefrau, gattin
        ehemann, gatte
        mama, mutti
        vater, papa, vati
        eltern, mutter und vater, vater und mutter
        grossmutter, oma, omi
        grossvater, opa, opi
        auto, pkw
        fahrrad, velo
        mit dem zug, per zug
        mit der bahn, per bahn
        handy, mobiltelefon
        bildschirm, monitor
        fernseher, fernsehgerat
        fotos, fotografien
        e mail, email, mail
        e mails, emails, mails
        benutzer, nutzer, anwender, user
        benutzerin, nutzerin, anwenderin
        passwort, kennwort
        webseite, internetseite
        quelltext, quellcode
        filiale, zweigstelle
        mietpreis, mietzins
        krankheit, erkrankung
        krankheiten, erkrankungen
        krankenhaus, spital
        lebensmittel, nahrungsmittel
        telefonnummer, rufnummer
        strasse, str
        aufzug, fahrstuhl
        sofa, couch
        fuhrerschein, fahrerlaubnis
        fitnessstudio, fitnesscenter
        leibgericht, lieblingsgericht, lieblingsessen, leibspeise, lieblingsspeise
        schnell, rasch
        teuer, teure, teuren, kostspielig
        preiswert, preisgunstig
        kostenlos, gratis, kostenfrei, unentgeltlich
        angst, furcht
        taglich, jeden tag
        wochentlich, jede woche
        monatlich, jeden monat
        jahrlich, jedes jahr, alljahrlich
        ungefahr, circa, zirka, ca
        mindestens, nicht weniger als
        hochstens, maximal
        fast, beinahe, nahezu
        meistens, meist
        normalerweise, in der regel, ublicherweise
        oft, haufig, oftmals
        manchmal, gelegentlich, ab und zu, hin und wieder
        sofort, umgehend, unverzuglich
        zum beispiel, z b, beispielsweise
        unweit, nicht weit von
        aufgrund, auf grund
        anstatt, anstelle
        vegetarier, vegetarierin, isst kein fleisch
        veganer, veganerin, isst keine tierischen produkte
        abstinenzler, trinkt keinen alkohol, trinkt nie alkohol
        nichtraucher, nichtraucherin, raucht nicht
        einzelkind, hat keine geschwister
        nicht verheiratet, unverheiratet
        kinderlos, hat keine kinder
        linkshander, linkshanderin, schreibt mit links
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
