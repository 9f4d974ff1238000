"""The Spanish lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

SPANISH = Lexicon(
    analyser="spanish",
    common="""
        el la los las un una unos unas de del al a y o pero su sus es son esta estan era ha han habia en por para
        con que se lo le les como yo mi mis muy cada todos todas todo toda aproximadamente cerca sobre fue hay
        e ella ellos tiene
    """,
    each_weekday="cada todos.los",
    tense="era eran fue fueron estaba estaban habia tenia/es son esta estan ha han tiene",
    negations="no, nunca, jamas, ningun, ninguna, ninguno, nada, nadie, sin, ni, tampoco",
    endings="""
        ya no, dejo de, ha dejado, dejado de, abandono, abandonado, vendio, vendido, vendida, termino, terminado,
        acabo, cancelado, cancelada, eliminado, eliminada, renuncio, se jubilo, murio, fallecio, divorciado,
        divorciada, separado, separada, perdio, perdido, roto, cerrado, cerrada, retirado, retirada, suprimido,
        expirado, se fue, quitaron,
        revocado, revocada, revertido, revertida, anulado, anulada, en favor de, a favor de,
        en contra de, decid* contra, descart*
    """,
    changes="""
        cambio, cambiado, se mudo, mudado, trasladado, subio, subido, bajo, bajado, aumento, aumentado, reducido,
        rebajado, ampliado, prorrogado, aplazado, adelantado, renombrado, sustituido, reemplazado, convertido, paso
        a, pasado a, migrado, ascendido, ascendida, en lugar de, nuevo, nueva, contratado, comprado,
        empezo, actualizado, modificado, transferido
    """,
    now="""
        ahora, hoy, actualmente, hoy en dia, desde, ya, ultimamente, recientemente, a partir de, por fin, en la
        actualidad
    """,
    wishes="""
        quisiera, quiere, quieren, desea, planea, piensa, espera, considera, si, quiza, quizas, tal vez, podria,
        deberia, propone, propuesta, objetivo, suena con, proximo ano, intenta, estudia, previsto, prevista, le
        gustaria
    """,
    claims="dice, dijo, segun, afirma, cree, asegura, rumor, supuestamente, al parecer, opina",
    reasons="porque, ya que, puesto que",
    stand_ins="""
        sustituye * mientras, temporalmente, provisional*, interino, interina, de momento, mientras, prestado,
        prestada, en funciones
    """,
    also="tambien, ademas, otro, otra, asimismo, igualmente, segundo, segunda, aparte",
    past="""
        antes, antiguamente, de nino, de nina, de joven, en su juventud, anteriormente, solia, en aquella epoca, de
        estudiante, durante
    """,
    limits="solo, solamente, unicamente, excepto, salvo, exclusivamente, menos, como mucho, al menos",
    singles="favorit*, preferid*, principal, por defecto, oficial, mayor",
    holds_one="""
        vive en, reside en, trabaja en, trabaja para, casada con, casado con, estudia en, alojado en
    """,
    copulas="es",
    corrections="""
        en realidad, de hecho, error, equivocado, equivocada, falso, correccion, resulta que, mas bien, confundido,
        confusion
    """,
    spoken_to="tu, te, ti, tus, tuyo, tuya, contigo, vosotros, vuestro, vuestra, usted, ustedes",
    kin="""
        madre, padre, padres, hermano, hermana, hijo, hija, hijos, hijas, marido, mujer, esposo, esposa, pareja,
        novio, novia, tio, tia, primo, prima, abuelo, abuela, sobrino, sobrina, companero, companera, colega, amigo,
        amiga, vecino, vecina, jefe, jefa, suegro, suegra, cunado, cunada, predecesor, sucesor, asistente
    """,
    states="""
        trabaja, empleado, empleada, puesto, dirige, director*, profesor*, becari*: dejo, renuncio, despedid*, jubilad*, jubilo, contratad*, ascendid*, paro, fichado
        vive, casa, piso, direccion, sede, reside: mudado, mudo, vendio, vendido, trasladado, traslado
        tiene, usa, conduce, coche, movil, bicicleta: vendio, perdio, robaron, roto, cambiado, regalo
        casado, casada, marido, mujer, pareja, novia, novio: divorciad*, separad*, viudo, viuda, rompieron
        soltero, soltera: casado, casada, boda, prometid*
        embarazada: nacio, nacido, parto, bebe
        abierto, pendiente, espera, borrador, en curso, en tramite: cerrado, aprobado, aprobada, rechazad*, visto bueno, firmado, terminad*, resuelt*, concedid*, decidid*
        previsto, fecha, vence, sera, plazo: aplazad*, cancelad*, prorrogad*, adelantad*, nueva fecha, ampliad*
        averiado, averiada, roto, rota, no funciona, fallo: arreglad*, reparad*, funciona de nuevo, vuelve a funcionar, resuelt*
        enfermo, enferma, lesionad*: recuperad*, curad*
        toma, medicamento, pastillas: suspendid*, dejo
        fuma, bebe, come, cafe, carne, alcohol: dejo, dejado, vegetarian*, vegan*
        estudia, estudiante, curso, carrera: licenciad*, aprobado, aprobo, termino, graduad*
        no tiene, sin, busca: consiguio, compro, nacio, encontro, obtuvo, adopto, recibio
        permitid*, acepta: prohibid*, eliminad*
        prohibid*: permitid*
        alojad*, escrit*, base de datos, usa: migrad*, sustituid*, cambiad*
        vivo, viva, anos: murio, fallecio
        miembro, suscrit*: baja, cancelo
        no le gusta, no le gustan, odia, miedo: encantad*, encanta, encantan, adora, enamorad*
    """,
    antonyms="""
        izquierda, zurdo, zurda/derecha, diestro, diestra
        activado, activada, encendid*/desactivado, desactivada, apagad*
        abierto, abierta/cerrado, cerrada
        gusta, gustan, encanta, encantan, encantada, encantado/odia, detesta
        casado, casada/soltero, soltera, divorciado, divorciada
        permitido/prohibido
        siempre/nunca
        antes/despues
        publico/privado
        funciona/averiado, roto
        aceptado, aprobado/rechazado
        rapido/lento
        caro/barato
        manana/tarde, noche
        vegetariano, vegetariana/carne
        con/sin
        primero/ultimo
    """,
    labels="""
        presidente, presidenta, tesorero, tesorera, secretario, secretaria
        hijo, hija
        nacio, crecio, estudio
        unitarias, unidad, extremo a extremo, integracion, carga
        maximo, minimo, medio, predeterminado, defecto
        desayuno, comida, cena
        entrada, salida
        personal, trabajo
    """,
    numbers="""
        cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce/docena trece catorce quince dieciseis
        diecisiete dieciocho diecinueve
    """,
    ordinals="""
        primero/primera segundo/segunda tercero/tercera cuarto/cuarta quinto/quinta sexto/sexta septimo octavo
        noveno decimo
    """,
    tens="veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    scales="mil millon/millones millardo",
    months="""
        enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago septiembre/sep/setiembre
        octubre/oct noviembre/nov diciembre/dic
    """,
    weekdays="lunes martes miercoles jueves viernes sabado domingo",
)
