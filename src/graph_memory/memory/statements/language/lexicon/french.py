"""The French lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

FRENCH = Lexicon(
    analyser="french",
    common="""
        le la les l un une des du de d et ou mais il elle ils elles son sa ses leur leurs est sont etait a ont avait
        en au aux dans par pour avec que qui qu ce cet cette se s y on je mon ma mes nous c n lui tout tous toute
        toutes chaque environ tres sur ete fait dont comme
    """,
    each_weekday="chaque tous.les",
    tense="etait etaient avait avaient fut/est sont a ont",
    negations="ne, n, pas, jamais, aucun, aucune, rien, personne, sans, ni, non",
    endings="""
        ne * plus, n * plus, a arrete, arrete, a cesse, cesse, a quitte, quitte, a vendu, vendu, vendue, abandonne,
        abandonnee, supprime, supprimee, annule, annulee, termine, terminee, fini, demissionne, mort, morte, decede,
        decedee, separe*, divorce*, perdu, casse, retire, retiree, ferme, fermee, expire, resilie, demenage,
        revoque, revoquee, abroge, abrogee, en faveur de, au profit de,
        decide* contre, decid* de renoncer, vote contre, renonc*
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
    reasons="parce que, parce qu, car, puisque",
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
    limits="seulement, uniquement, sauf, excepte, exclusivement, que des, hormis, au plus, au moins",
    singles="prefere*, favori*, principal*, par defaut, officiel*, aine*",
    holds_one="""
        habite a, vit a, reside a, travaille chez, travaille pour, mariee a, marie a, fiancee a, fiance a,
        etudie a, heberge chez
    """,
    copulas="est",
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
