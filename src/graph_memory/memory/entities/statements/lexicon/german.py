"""German."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

GERMAN = Lexicon(
    analyser="german",
    number_code="de",
    has_compounds=True,
    clock_words="halb:-30, viertel nach:15, viertel vor:-15",
    common="""
        der die das den dem des ein eine einen einem einer eines und oder aber er sie es ihr ihre ihren ihrem ihrer
        sein seine seinen seinem seiner ist sind war waren wird werden wurde wurden hat haben hatte hatten zu zum
        zur in im am an auf bei beim von vom mit fur aus als wie dass daß so da dann man sich etwa rund circa ca ungefahr
        jeden jede jedes jeder immer sehr um durch ich mein meine wir uns nach uber unter
    """,
    prepositions="in im am an auf bei beim von vom mit fur aus als nach uber unter zu zum zur durch",
    coordinators="und oder",
    negations="nicht, kein, keine, keinen, keinem, keiner, nie, niemals, nichts, niemand, ohne, weder, noch nie",
    endings="""
        nicht mehr, kein* mehr, aufgehort, aufgegeben, hort auf, gibt * auf, beendet, endet, gekundigt, kundigt*,
        verkauft, verkaufte, abgesetzt, abgeschafft, eingestellt, abgebrochen, verlassen, verloren, kaputt,
        gestorben, verstorben, getrennt, geschieden, ausgezogen, ausgetreten, abgelaufen, aufgehoben, abgesagt,
        entfernt, geloscht, stillgelegt, geschlossen, vorbei, entfallt, entfallen, weggefallen, zuruckgetreten,
        ausgeschieden, losgeworden, verschenkt, abgemeldet
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
    stand_ins="""
        vertritt, vertretung, vertretungsweise, vorubergehend, zeitweise, einstweilen, solange, springt * ein,
        leihweise, geliehen, ausgeliehen, aushilfsweise
    """,
    also="""
        auch, ausserdem, zusatzlich, noch ein, noch eine, noch einmal, noch einen, weiterer, weitere, weiteres,
        ebenfalls, ebenso, zudem, zweite, zweiter, daneben
    """,
    past="fruher, damals, ehemals, einst, als kind, als student*, vorher, zuvor, in der jugend, seinerzeit, wahrend",
    misleading="nicht nur, noch nicht, wenn auch, sowohl als auch",
    ordering="dann, danach, zuerst, erst, vor, nach, bevor, nachdem, als, statt, bis",
    limits="nur, ausschliesslich, ausser, lediglich, bloss, allein, hochstens, mindestens",
    singles="liebling*, lieblings*, haupt*, standard*, offiziell*, alteste*, jungste*, beste*, grosste*",
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
        wohnt, wohnen, wohnte, gewohnt, wohnhaft, lebt, leben, lebte, gelebt
        arbeitet, arbeiten, arbeitete, gearbeitet, tatig, beschaftigt bei
        besitzt, besitzen, besass, besessen, im besitz von, eigentumer von, eigentumerin von
        nutzt, nutzen, nutzte, genutzt, benutzt, benutzen, benutzte, verwendet, verwenden, verwendete
        gekauft, kauft, kaufen, kaufte, erwirbt, erwerben, erwarb, erworben
        verkauft, verkaufen, verkaufte, veraussert, veraussern, verausserte
        begonnen, beginnt, beginnen, begann, startet, starten, startete, gestartet, fangt an, fangen an, fing an
        endet, enden, endete, geendet, geht zu ende, ging zu ende
        mag, mogen, gemocht, liebt, lieben, liebte, gern, gerne, hat eine vorliebe fur, ist ein fan von
        mag nicht, mag kein, mag keine, mag keinen, nicht gern, nicht gerne, ungern, hasst, hassen, hasste, gehasst
        braucht, brauchen, brauchte, benotigt, benotigen, benotigte
        erlaubt, erlauben, erlaubte, gestattet, gestatten, zugelassen, zulassig
        verboten, verbietet, verbot, untersagt, untersagen, nicht erlaubt, nicht gestattet, unzulassig
        trifft sich mit, treffen sich mit, traf sich mit, hat ein treffen mit
        schickt, schicken, schickte, geschickt, sendet, senden, sendete, gesendet, gesandt, verschickt, versendet
        speichert, speichern, speicherte, gespeichert, abgespeichert
        bewahrt auf, aufbewahrt, aufbewahren, verwahrt, lagert, gelagert
        zeigt, zeigen, zeigte, gezeigt, angezeigt, anzeigt, stellt dar
        baut, bauen, baute, gebaut, errichtet, errichten, errichtete
        repariert, reparieren, reparierte, instand gesetzt, behebt, beheben, behob, behoben
        geloscht, loscht, loschen, loschte, entfernen
        bezahlt, bezahlen, bezahlte, zahlt, zahlen, zahlte, gezahlt
        kostet, kosten, kostete, gekostet, preis, preise
        verdient, verdienen, verdiente, gehalt, lohn, verdienst
        leitet, leiten, leitete, geleitet, steht an der spitze von
        unterrichtet, unterrichten, unterrichtete, lehrt, lehren, lehrte
        studiert, studieren, studierte, studium
        isst, essen, ass, gegessen, verzehrt, verspeist
        ruft an, rief an, angerufen, anruft, anrufen, telefoniert mit
        bekommt, bekommen, bekam, erhalt, erhalten, erhielt, kriegt, kriegen, kriegte
        spricht, sprechen, sprach, gesprochen, redet, reden, redete, geredet
        umgezogen, zieht um, zog um, umzieht, umziehen, umzug, wohnung gewechselt
        heiratet, heiraten, heiratete, geheiratet, hochzeit, trauung
        gestorben, stirbt, starb, sterben, verstorben, verstarb, tot, nicht mehr am leben
        geboren, kam zur welt, zur welt gekommen
        hilft, helfen, half, geholfen, unterstutzt, unterstutzen, unterstutzte
        versucht, versuchen, versuchte, probiert, probieren, probierte
        geandert, andert, andern, anderte, verandert, verandern, veranderte, anderung, veranderung
        pruft, prufen, prufte, gepruft, uberpruft, uberprufen, kontrolliert, kontrollieren
        findet statt, fand statt, stattfindet, stattfinden, stattgefunden, wird abgehalten
        abgesagt, sagt ab, sagte ab, absagen, fallt aus, fiel aus, ausfallt, entfallt, entfallen
        verschoben, verschiebt, verschob, verschieben, vertagt, vertagen
        heisst, heissen, hiess, geheissen, namens, name ist, tragt den namen
        enthalt, enthalten, enthielt, beinhaltet, beinhalten
        dauert, dauern, dauerte, gedauert, dauer
        stammt aus, kommt aus, stammte aus, kam aus, geburtig aus
        erhoht, erhohen, erhohte, angehoben, hebt an, gesteigert, heraufgesetzt
        gesenkt, senkt, senken, senkte, reduziert, reduzieren, reduzierte, verringert, verringern, herabgesetzt
        veroffentlicht, veroffentlichen, veroffentlichte, publiziert, publizieren, herausgebracht
        ersetzt, ersetzen, ersetzte, ausgetauscht, tauscht aus, austauschen
        gegrundet, grundet, grundete, grunden, ins leben gerufen
        besucht, besuchen, besuchte, zu besuch bei
        erledigt, abgeschlossen, fertiggestellt, fertig, vollendet
        befindet sich, befinden sich, befand sich, liegt, liegen, lag, gelegen, halt sich auf
        joggt, joggen, joggte, gejoggt, jogging, geht laufen
        aktualisiert, aktualisieren, aktualisierung, update, updates
        zuhause, zu hause, daheim
        wohnung, wohnungen, apartment, appartement
        job, arbeitsstelle, arbeitsplatz, stelle, anstellung
        firma, firmen, unternehmen, betrieb
        chef, chefin, vorgesetzter, vorgesetzte, boss
        kollege, kollegin, kollegen, kolleginnen, arbeitskollege, arbeitskollegin
        mitarbeiter, mitarbeiterin, mitarbeiterinnen, beschaftigte, belegschaft, personal
        kunde, kundin, kunden, kundschaft, klient, klientin
        arzt, arztin, arzte, doktor, mediziner, medizinerin
        hausarzt, hausarztin, allgemeinarzt, allgemeinmediziner
        zahnarzt, zahnarztin, zahnmediziner
        kind, kinder, kindern, nachwuchs
        frau, ehefrau, gattin
        mann, ehemann, gatte
        mutter, mama, mutti
        vater, papa, vati
        eltern, mutter und vater, vater und mutter
        grossmutter, oma, omi
        grossvater, opa, opi
        geschwister, bruder und schwester, bruder und schwestern
        auto, autos, wagen, pkw
        fahrrad, fahrrader, rad, velo
        flugzeug, flieger
        mit der bahn, mit dem zug, per bahn, per zug
        handy, handys, mobiltelefon, smartphone
        computer, rechner, pc
        laptop, notebook
        bildschirm, monitor
        fernseher, fernsehgerat, tv
        foto, fotos, fotografie, fotografien
        film, filme, movie
        urlaub, ferien
        besprechung, besprechungen, meeting, meetings, sitzung
        e mail, e mails, email, emails, mail, mails
        fehler, bug, bugs
        funktion, funktionen, feature, features
        benutzer, benutzerin, nutzer, nutzerin, anwender, anwenderin, user
        passwort, passworter, kennwort
        datenbank, datenbanken, db
        webseite, website, internetseite, homepage
        version, release
        quelltext, quellcode
        hauptsitz, firmensitz, firmenzentrale, hauptquartier, sitz
        filiale, filialen, zweigstelle, niederlassung
        schulden, verbindlichkeiten, schuldet
        miete, mietpreis, mietzins, mietkosten
        krankheit, krankheiten, erkrankung, erkrankungen
        medikament, medikamente, arznei, arzneimittel
        krankenhaus, klinik, spital
        lebensmittel, nahrungsmittel
        lehrer, lehrerin, lehrkraft
        geschaftsfuhrer, geschaftsfuhrerin, ceo
        frist, deadline
        telefonnummer, rufnummer, tel
        strasse, str
        aufzug, fahrstuhl, lift
        sofa, couch
        fuhrerschein, fahrerlaubnis
        fitnessstudio, fitnesscenter, gym
        leibgericht, lieblingsgericht, lieblingsessen, leibspeise, lieblingsspeise
        gross, grosse, riesig
        klein, kleine, winzig
        schnell, rasch, zugig, flott
        teuer, teure, teuren, kostspielig
        billig, gunstig, preiswert, preisgunstig
        gebraucht, aus zweiter hand, second hand
        kostenlos, gratis, kostenfrei, umsonst, unentgeltlich
        ruhig, still
        krank, erkrankt
        kaputt, defekt, funktioniert nicht, ausser betrieb
        schwanger, erwartet ein kind, erwartet ein baby
        angst, furchtet, furcht
        taglich, jeden tag, tag fur tag, pro tag
        wochentlich, jede woche, pro woche
        monatlich, jeden monat, pro monat
        jahrlich, jedes jahr, pro jahr, alljahrlich
        etwa, ungefahr, circa, zirka, ca, rund
        mindestens, wenigstens, zumindest, nicht weniger als
        hochstens, maximal, nicht mehr als
        fast, beinahe, nahezu
        nachts, in der nacht, bei nacht
        morgens, am morgen, in der fruh
        abends, am abend
        meistens, meist, normalerweise, gewohnlich, in der regel, ublicherweise
        oft, haufig, oftmals
        selten, nicht oft
        manchmal, gelegentlich, ab und zu, hin und wieder
        zusammen, gemeinsam, miteinander
        sofort, umgehend, unverzuglich
        zum beispiel, z b, beispielsweise
        nahe, in der nahe, unweit, nicht weit von
        wegen, aufgrund, auf grund
        anstatt, statt, anstelle
        vegetarisch, vegetarier, vegetarierin, isst kein fleisch, fleischlos
        vegan, veganer, veganerin, isst keine tierischen produkte
        abstinent, abstinenzler, trinkt keinen alkohol, trinkt nie alkohol
        nichtraucher, nichtraucherin, raucht nicht
        einzelkind, hat keine geschwister, ohne geschwister
        ledig, nicht verheiratet, unverheiratet
        kinderlos, hat keine kinder, ohne kinder
        arbeitslos, hat keine arbeit, hat keinen job, ohne arbeit
        gehorlos, taub, kann nicht horen
        blind, kann nicht sehen
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
