"""Spanish."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

SPANISH = Lexicon(
    analyser="spanish",
    number_code="es",
    common="""
        el la los las un una unos unas de del al a y o pero su sus es son esta estan era ha han habia en por para
        con que se lo le les como yo mi mis muy cada todos todas todo toda aproximadamente cerca sobre fue hay
        e ella ellos tiene
    """,
    prepositions="a al de del en por para con sobre desde hasta hacia",
    every="cada todos.los",
    linking="de del",
    alternatives="o u",
    tense="era eran fue fueron estaba estaban habia tenia/es son esta estan ha han tiene",
    past_ending="aba aban ia ian",
    coordinators="y e o u",
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
    ordering="luego, primero, antes, despues, hasta, en vez, en lugar",
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
    synonyms="""
        vive, viven, vivir
        reside, residir
        trabaja, trabajar
        posee, poseer
        utiliza, utilizar, hace uso de
        adquiere, adquirir
        vende, vender
        empieza, empezar, comienza, comenzar
        finaliza, finalizar
        gusta, gustan
        no le gusta, no le gustan
        odia, odiar, detesta, detestar, aborrece
        necesita, necesitar
        permite, permitir
        no esta permitido, no se permite
        conoce, conocer
        habla, hablar
        envia, enviar
        almacena, almacenar
        repara, reparar
        elimina, eliminar
        borra, borrar
        cuesta, costar
        salario, sueldo
        salarios, sueldos
        imparte clases de, da clases de, da clase de
        llama por telefono, telefonea, telefonear
        se casa, casarse, contraer matrimonio
        muere, morir, fallece, fallecer
        nace, nacer
        busca, buscar, esta en busca de, anda buscando
        modifica, modificar
        verifica, verificar
        tiene lugar, tener lugar
        cancela, cancelar
        aplaza, aplazar, pospone, posponer
        se llama, su nombre es
        contiene, contener
        aumenta, aumentar, incrementa, incrementar
        reduce, reducir, disminuye, disminuir
        sustituye, reemplaza
        sustituir, reemplazar
        esta situado en, esta ubicado en
        esta situada en, esta ubicada en
        actualiza, actualizar
        medico de cabecera, medico de familia
        medica de cabecera, medica de familia
        padre y madre, madre y padre
        abuela, abuelita, yaya
        abuelo, abuelito, yayo
        coche, automovil
        bicicleta, bici
        bicicletas, bicis
        telefono movil, telefono celular
        ordenador, computadora, computador
        ordenador portatil, laptop
        television, tele
        fotos, fotografias
        pelicula, peli
        correo electronico, email, e mail, mail
        contrasena, clave de acceso, password
        enfermedad, dolencia
        alimentos, comestibles
        fecha limite, deadline
        ascensor, elevador
        gimnasio, gym
        gafas, anteojos
        carne de conducir, permiso de conducir, licencia de conducir
        zumo, jugo
        caro, costoso
        gratis, sin coste, sin costo
        embarazada, encinta
        favorito, favorita, predilecto
        diariamente, cada dia, todos los dias
        semanalmente, cada semana, todas las semanas
        mensualmente, cada mes, todos los meses
        anualmente, cada ano, todos los anos
        aproximadamente, aprox
        al menos, por lo menos, como minimo
        como mucho, como maximo, a lo sumo
        normalmente, habitualmente
        generalmente, por lo general
        a menudo, con frecuencia, frecuentemente
        rara vez, raramente, pocas veces
        a veces, de vez en cuando, algunas veces, ocasionalmente
        inmediatamente, enseguida, de inmediato, en seguida
        por ejemplo, p ej
        no lejos de, en las cercanias de
        a causa de, debido a
        en lugar de, en vez de
        vegetariano, vegetariana, no come carne
        vegano, vegana, no come productos animales, no consume productos animales
        abstemio, abstemia, no bebe alcohol, nunca bebe alcohol, no toma alcohol
        no fumador, no fumadora, no fuma
        hijo unico, hija unica, no tiene hermanos
        desempleado, desempleada, en paro, sin empleo
        zurdo, zurda, escribe con la izquierda
        analfabeto, analfabeta, no sabe leer ni escribir
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
