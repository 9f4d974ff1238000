"""French."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

FRENCH = Lexicon(
    analyser="french",
    number_code="fr",
    common="""
        le la les l un une des du de d et ou mais il elle ils elles son sa ses leur leurs est sont etait a ont avait
        en au aux dans par pour avec que qui qu ce cet cette se s y on je mon ma mes nous c n lui tout tous toute
        toutes chaque environ tres sur ete fait dont comme
    """,
    prepositions="a au aux de du des d en dans par pour avec sur chez vers",
    coordinators="et ou",
    negations="ne, n, pas, jamais, aucun, aucune, rien, personne, sans, ni, non",
    endings="""
        ne * plus, n * plus, a arrete, arrete, a cesse, cesse, a quitte, quitte, a vendu, vendu, vendue, abandonne,
        abandonnee, supprime, supprimee, annule, annulee, termine, terminee, fini, demissionne, mort, morte, decede,
        decedee, separe*, divorce*, perdu, casse, retire, retiree, ferme, fermee, expire, resilie, demenage
    """,
    changes="""
        change, a change, demenage, passe a, est passe, augmente, augmentee, baisse, baissee, reduit, releve,
        prolonge, prolongee, reporte, reportee, avance, renomme, renommee, remplace, remplacee, devenu, devenue, est
        devenu, migre, promu, promue, au lieu de, nouveau, nouvelle, nouvel, installe, embauche, achete, transfere,
        a commence, desormais, repris
    """,
    now="""
        maintenant, desormais, aujourd hui, actuellement, a present, depuis, dorenavant, recemment, de nouveau, ces
        jours ci, dernierement
    """,
    wishes="""
        voudrait, aimerait, veut, souhaite, prevoit, prevu, prevue, compte, espere, envisage, songe, si, peut etre,
        pourrait, devrait, propose, objectif, reve, l annee prochaine, projet de, pense a, eventuel*
    """,
    claims="dit, selon, d apres, affirme, pretend, croit, pense que, parait, rumeur, soi disant, estime",
    stand_ins="remplace * pendant, interim, temporairement, provisoirement, en attendant, le temps de, depanne, prete",
    also="""
        aussi, egalement, en outre, de plus, en plus, un autre, une autre, encore un, encore une, second, seconde,
        deuxieme, ainsi que
    """,
    past="""
        autrefois, jadis, avant, auparavant, ancien, ancienne, quand il etait, quand elle etait, etant jeune, dans
        sa jeunesse, a l epoque, pendant
    """,
    misleading="""
        a deux pas, a quelques pas, pas a pas, un pas, pas mal, pas seulement, non seulement, comme si, meme si
    """,
    ordering="puis, ensuite, avant, apres, jusqu, au lieu, plutot",
    limits="seulement, uniquement, sauf, excepte, exclusivement, que des, hormis, au plus, au moins",
    singles="prefere*, favori*, principal*, par defaut, officiel*, aine*",
    corrections="""
        en fait, en realite, erreur, faux, plutot, correction, rectification, contrairement, il s avere, confondu,
        confusion
    """,
    spoken_to="tu, te, toi, ton, ta, tes, vous, votre, vos",
    kin="""
        mere, pere, parents, frere, soeur, fils, fille, enfant, enfants, mari, femme, epoux, epouse, compagnon,
        compagne, ami, amie, oncle, tante, cousin, cousine, grand mere, grand pere, neveu, niece, collegue,
        collegues, voisin, voisine, chef, patron, patronne, colocataire, predecesseur, successeur, assistant,
        assistante, beau frere, belle soeur
    """,
    states="""
        travaille, employe, employee, emploi, poste, dirige, directeur, directrice, alternance, stage, stagiaire, apprenti*: quitte, demissionne, licencie*, retraite, embauche, promu, promue, cdi, chomage, change
        habite, vit, maison, appartement, adresse, siege, loge: demenage, vendu, vendue, quitte, installe, installee
        a, possede, utilise, conduit, voiture, telephone, velo: vendu, perdu, vole, casse, remplace, donne
        marie, mariee, mari, femme, compagne, compagnon, couple: divorce*, separe*, rupture, veuf, veuve
        celibataire: marie, mariee, mariage, fiance*
        enceinte: ne, nee, accouche, naissance, bebe
        ouvert, attente, brouillon, en cours, examen: ferme, approuve*, refuse*, valide*, termine*, signe*, resolu, accorde*, decide*
        prevu, prevue, date, aura lieu, expire, echeance: reporte*, annule*, prolonge*, avance*, nouvelle date
        panne, casse, cassee, hors service, bug: repare*, fonctionne de nouveau, corrige*, resolu, marche de nouveau, remplace
        malade, blesse*, traitement: gueri*, retabli*
        prend, medicament*, traitement: arrete, abandonne
        fume, boit, mange, cafe, viande, alcool: arrete, renonce, vegetarien*, vegan, sobre
        etudie, etudiant*, ecole, cours: diplome*, reussi, abandonne, termine
        pas de, pas d, aucun, cherche, sans: obtenu, achete, ne, nee, trouve, recu, adopte
        autorise*, accepte*, possible: interdit*, supprime*
        interdit*: autorise*, permis
        heberge*, ecrit, base de donnees, utilise, tourne: migre*, remplace*, passe
        vivant, age: mort, morte, decede*
        membre, abonne*: resilie*, quitte
    """,
    antonyms="""
        gauche/droite, droit
        active*, allume*/desactive*, eteint*
        ouvert, ouverte/ferme, fermee
        aime, adore/deteste, hait
        marie, mariee/celibataire, divorce, divorcee
        autorise, autorisee, permis/interdit, interdite
        toujours/jamais
        avant/apres
        temps plein/temps partiel
        public, publique/prive, privee
        panne/fonctionne, marche
        accepte, approuve/refuse, rejete
        rapide/lent, lente
        cher, chere/bon marche
        matin/soir
        vegetarien, vegetarienne/viande
        avec/sans
        premier/dernier
        obligatoire/facultatif
    """,
    labels="""
        president, presidente, tresorier, tresoriere, secretaire, directeur, directrice
        fils, fille
        ne, nee, grandi, etudie
        defaut, maximum, minimum, moyenne
        personnel, professionnel
        petit dejeuner, dejeuner, diner
        entree, sortie
    """,
    synonyms="""
        habite, habiter, habitait, habitent, vit, vivre, vivait, vivent, vecu, reside, resider, demeure, domicilie
        travaille, travailler, travaillait, bosse, bosser, est employe, est employee
        possede, posseder, possedait, detient, est proprietaire de, est le proprietaire de
        utilise, utiliser, utilisait, se sert de, emploie, fait usage de
        achete, acheter, achetait, acquis, acquiert, acquerir, fait l acquisition de, achat
        vendu, vend, vendre, vendue, vendait, vente
        commence, commencer, commencait, debute, debuter, demarre, demarrer, debut
        se termine, se terminer, finit, finir, fini, termine, terminer, prend fin, s acheve, acheve
        aime, aimer, aimait, adore, adorer, apprecie, raffole de, est fan de, aime bien
        n aime pas, n aime pas du tout, deteste, detester, detestait, hait, a horreur de, n apprecie pas
        a besoin de, ont besoin de, avait besoin de, necessite, necessiter, requiert, requis, il lui faut
        permet, permettre, permis, autorise, autoriser, autorisee
        interdit, interdite, interdire, defendu, n est pas permis, n est pas autorise, prohibe
        connait, connaitre, connaissait, connaissent
        parle, parler, parlait, parlent, s exprime en
        rencontre, rencontrer, rencontrait, rencontrent
        envoie, envoyer, envoye, envoyait, expedie, expedier
        conserve, conserver, conservait, garde, garder, stocke, stocker
        montre, montrer, affiche, afficher, affichage
        construit, construire, construite, batit, batir, bati
        repare, reparer, reparation, remis en etat, corrige, corriger
        supprime, supprimer, efface, effacer, enleve, enlever
        paie, payer, paye, payait, verse, verser
        coute, couter, coutait, cout, prix, tarif
        salaire, salaires, remuneration, paie mensuelle
        dirige, diriger, dirigeait, est a la tete de, a la direction de
        enseigne, enseigner, enseignait, enseignant, enseignante, professeur, prof, donne des cours de
        telephone a, appelle au telephone, passe un coup de fil a, donne un coup de fil a
        repond, repondre, repondu, reponse
        recoit, recevoir, recu, recevait
        conduit, conduire, conduisait, est au volant de
        demenage, demenager, demenagement, change de logement
        se marie, s est marie, s est mariee, se sont maries, mariage, noces
        mort, morte, meurt, mourir, decede, decedee, deces
        ne, nee, nait, naitre, naissance, a vu le jour
        aide, aider, aidait, assiste, donne un coup de main a
        essaie, essayer, essaye, tente de, tenter de
        cherche, chercher, cherchait, est a la recherche de
        change, changer, changement, modifie, modifier, modification
        verifie, verifier, controle, controler, verification
        a lieu, aura lieu, avoir lieu, eu lieu, se deroule, se tient
        annule, annuler, annulation, decommande, n aura pas lieu
        reporte, reporter, repousse, repousser, remis a plus tard, ajourne
        s appelle, se nomme, se prenomme, nomme, a pour nom
        contient, contenir, contenait, renferme, inclut
        dure, durer, durait, duree
        vient de, est originaire de, originaire de, natif de, native de
        augmente, augmenter, augmentation, hausse, majore
        baisse, baisser, reduit, reduire, reduction, diminue, diminuer, diminution
        publie, publier, publication, paru, fait paraitre
        remplace, remplacer, substitue, remplacement
        fonde, fonder, fondee, cree, creer, creation
        se trouve, se trouvent, se situe, se situent, situe, situee, est base a, est basee a
        rend visite a, rendu visite a, va voir, visite
        fait du footing, fait du jogging, footing, jogging, courir, course a pied
        met a jour, mettre a jour, mis a jour, mise a jour, actualise, actualiser
        doit, devoir, est oblige de, est obligee de
        chez lui, chez elle, a la maison, a son domicile
        emploi, poste, job, boulot
        societe, entreprise, firme
        chef, patron, patronne, superieur, superieure, responsable hierarchique
        collegue, collegues, collegue de travail
        salaries, employes, personnel, effectif, effectifs
        client, cliente, clients, clientele
        medecin, docteur, doctoresse, toubib
        medecin traitant, medecin de famille, generaliste, medecin generaliste
        enfant, enfants, gamin, gamins, gosse
        femme, epouse
        mari, epoux
        mere, maman
        pere, papa
        parents, pere et mere, mere et pere
        grand mere, mamie, mamy
        grand pere, papi, papy, pepe
        freres et soeurs, frere et soeur, fratrie
        ami, amie, amis, amies, pote
        animal de compagnie, animal domestique, animaux de compagnie
        voiture, voitures, auto, automobile, bagnole
        velo, velos, bicyclette
        telephone portable, portable, mobile, smartphone, telephone mobile
        ordinateur, ordi, pc
        ordinateur portable, pc portable, laptop
        television, tele, televiseur, tv
        photo, photos, photographie, cliche
        film, films, long metrage
        vacances, conges
        reunion, reunions, meeting
        rendez vous, rdv
        courriel, courriels, e mail, e mails, email, emails, mail, mails
        erreur, erreurs, bug, bugs, bogue, anomalie
        fonctionnalite, fonctionnalites, feature
        utilisateur, utilisatrice, utilisateurs, usager
        mot de passe, mdp
        base de donnees, bdd
        depot, repository, repo
        site web, site internet
        application, applications, appli, app
        siege social, siege, quartier general, qg
        succursale, succursales, agence locale
        dette, dettes, endettement
        loyer, loyers, prix de la location
        maladie, maladies, pathologie
        medicament, medicaments, medication, medoc
        hopital, hopitaux, centre hospitalier
        pdg, directeur general, directrice generale
        date limite, echeance, deadline
        numero de telephone, tel, numero de tel
        salle de sport, salle de gym, club de sport
        football, foot
        grand, grande, grands, enorme, immense
        petit, petite, petits, minuscule
        rapide, rapides, vite, rapidement
        cher, chere, chers, couteux, onereux
        bon marche, pas cher, pas chere, peu couteux, abordable
        d occasion, de seconde main
        gratuit, gratuite, gratuitement, sans frais
        calme, tranquille, silencieux, silencieuse
        malade, souffrant, souffrante
        casse, en panne, hors service, ne marche pas, ne fonctionne pas, cassee
        difficile, complique, compliquee, pas facile
        facile, simple, aise
        enceinte, attend un enfant, attend un bebe
        peur, craint, crainte, redoute
        content, contente, heureux, heureuse, ravi
        prefere, preferee, favori, favorite
        quotidien, quotidienne, quotidiennement, chaque jour, tous les jours
        hebdomadaire, chaque semaine, toutes les semaines, par semaine
        mensuel, mensuelle, chaque mois, tous les mois, par mois
        annuel, annuelle, chaque annee, tous les ans, par an
        environ, a peu pres, approximativement
        au moins, au minimum, minimum
        au plus, au maximum, maximum, tout au plus
        presque, quasiment, quasi
        la nuit, de nuit, pendant la nuit
        le matin, dans la matinee, en matinee
        le soir, en soiree, dans la soiree
        d habitude, habituellement, generalement, normalement, en general
        souvent, frequemment
        rarement, peu souvent
        parfois, quelquefois, de temps en temps, occasionnellement
        ensemble, conjointement
        immediatement, tout de suite, aussitot, sur le champ
        par exemple, p ex
        pres de, pres, proche de, non loin de, a proximite de
        a cause de, en raison de, du fait de
        au lieu de, a la place de, plutot que
        vegetarien, vegetarienne, ne mange pas de viande, sans viande
        vegan, vegane, vegetalien, vegetalienne, ne mange aucun produit animal
        abstinent, abstinente, ne boit pas d alcool, ne boit jamais d alcool
        non fumeur, non fumeuse, ne fume pas
        enfant unique, fils unique, fille unique, n a ni frere ni soeur, sans frere ni soeur
        celibataire, pas marie, pas mariee, non marie, non mariee
        sans enfant, n a pas d enfant, n a pas d enfants
        au chomage, chomeur, chomeuse, sans emploi, sans travail
        sourd, sourde, ne peut pas entendre
        aveugle, non voyant, non voyante, ne peut pas voir
        gaucher, gauchere, ecrit de la main gauche
        teletravail, travaille de chez lui, travaille de chez elle, travaille a domicile
    """,
    numbers="""
        zero un deux trois quatre cinq six sept huit neuf dix onze douze/douzaine treize quatorze quinze seize
        dix-sept dix-huit dix-neuf
    """,
    ordinals="""
        premier/premiere deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme onzieme
        douzieme
    """,
    tens="vingt trente quarante cinquante soixante soixante-dix quatre-vingt/quatre-vingts quatre-vingt-dix",
    scales="mille million/millions milliard/milliards",
    months="""
        janvier/janv fevrier/fevr mars avril/avr mai juin juillet/juil aout septembre octobre/oct novembre/nov
        decembre/dec
    """,
    weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
)
