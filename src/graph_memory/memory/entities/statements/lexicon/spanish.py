"""Spanish."""

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon

SPANISH = Lexicon(
    analyser="spanish",
    number_code="es",
    common="""
        el la los las un una unos unas de del al a y o pero su sus es son esta estan era ha han habia en por para
        con que se lo le les como yo mi mis muy cada todos todas todo toda unos aproximadamente cerca sobre fue hay
        e ella ellos tiene
    """,
    prepositions="a al de del en por para con sobre desde hasta hacia",
    coordinators="y e o u",
    negations="no, nunca, jamas, ningun, ninguna, ninguno, nada, nadie, sin, ni, tampoco",
    endings="""
        ya no, dejo de, ha dejado, dejado de, abandono, abandonado, vendio, vendido, vendida, termino, terminado,
        acabo, cancelado, cancelada, eliminado, eliminada, renuncio, se jubilo, murio, fallecio, divorciado,
        divorciada, separado, separada, perdio, perdido, roto, cerrado, cerrada, retirado, retirada, suprimido,
        expirado, se fue, quitaron
    """,
    changes="""
        cambio, cambiado, se mudo, mudado, trasladado, subio, subido, bajo, bajado, aumento, aumentado, reducido,
        rebajado, ampliado, prorrogado, aplazado, adelantado, renombrado, sustituido, reemplazado, convertido, paso
        a, pasado a, migrado, ascendido, ascendida, en vez de, en lugar de, nuevo, nueva, contratado, comprado,
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
    limits="solo, solamente, unicamente, excepto, salvo, exclusivamente, menos, como maximo, al menos",
    singles="favorit*, preferid*, principal, por defecto, oficial, mayor",
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
        vive, vivir, vivia, vivio, viven, reside, residir, residia, habita, habitar, domiciliado
        trabaja, trabajar, trabajaba, esta empleado, esta empleada, labora
        posee, poseer, poseia, es dueno de, es duena de, es propietario de, es propietaria de
        usa, usar, usaba, utiliza, utilizar, utilizaba, hace uso de
        comprado, compra, comprar, compro, comprada, adquiere, adquirir, adquirio, adquirido
        vendio, vende, vender, vendido, vendida, vendia, venta
        empezo, empieza, empezar, empezado, comienza, comenzar, comenzo, comenzado, inicia, iniciar, inicio
        termino, termina, terminar, terminado, acabar, acabado, finaliza, finalizar, finalizo, concluye, concluir
        dejo de, deja de, dejado de, paro de
        gusta, gustan, gustar, gustaba, encanta, encantan, encantado, adora, es aficionado a, es aficionada a, le agrada
        no le gusta, no le gustan, no me gusta, odia, odiar, detesta, detestar, aborrece, no soporta
        necesita, necesitar, necesitaba, requiere, requerir, requerido, hace falta, le hace falta
        permite, permitir, permitido, permitida, autoriza, autorizado, autorizada, esta autorizado
        prohibe, prohibir, prohibido, prohibida, no esta permitido, no se permite
        conoce, conocer, conocia, conozco
        habla, hablar, hablaba, hablo, conversa
        se reune con, se encuentra con, se reunio con, se encontro con
        envia, enviar, envio, enviado, enviada, manda, mandar, mando, mandado
        guarda, guardar, guardo, guardado, conserva, conservar, almacena, almacenar, almacenado
        muestra, mostrar, mostro, mostrado, visualiza, visualizar
        arregla, arreglar, arreglo, arreglado, repara, reparar, reparo, reparado, reparacion, corrige, corregir
        eliminado, elimina, eliminar, elimino, borra, borrar, borro, borrado, suprime, suprimir
        paga, pagar, pago, pagado, abona, abonar
        cuesta, costar, costo, costaba, coste, precio, precios
        salario, salarios, sueldo, sueldos, remuneracion
        dirige, dirigir, dirigio, dirigia, lidera, liderar, esta al frente de, encabeza
        ensena, ensenar, ensenaba, imparte clases de, da clases de, da clase de, profesor de, profesora de
        estudia, estudiar, estudiaba, cursa, cursar
        llama por telefono, telefonea, telefonear, habla por telefono con
        responde, responder, respondio, respondido, contesta, contestar, contesto, contestado, respuesta
        conduce, conducir, condujo, conducia, maneja, manejar
        se mudo, se muda, mudarse, mudanza, cambio de casa, se traslado, se traslada, se cambio de casa
        se casa, se caso, se casaron, casarse, boda, contrajo matrimonio, contraer matrimonio
        murio, muere, morir, muerto, muerta, fallece, fallecer, fallecio, fallecido, fallecida
        nace, nacer, nacio, nacido, nacida, nacimiento, vino al mundo
        ayuda, ayudar, ayudo, echa una mano
        intenta, intentar, intento, trata de, tratar de
        busca, buscar, busco, buscaba, esta en busca de, anda buscando
        cambio, cambia, cambiar, cambiado, modifica, modificar, modifico, modificado, modificacion
        revisa, revisar, reviso, revisado, comprueba, comprobar, verifica, verificar, chequea
        tiene lugar, tuvo lugar, tener lugar, se celebra, se celebro, se realiza, se lleva a cabo
        cancelado, cancela, cancelar, cancelo, cancelada, anula, anular, anulado
        aplazado, aplaza, aplazar, aplazo, aplazada, pospone, posponer, pospuso, pospuesto, pospuesta
        se llama, se llamaba, llamado, su nombre es, de nombre
        contiene, contener, contenia, incluye, incluir, incluido
        dura, durar, duraba, duracion
        viene de, procede de, es originario de, es originaria de, es natural de, proviene de
        aumento, aumenta, aumentar, aumentado, incrementa, incrementar, incremento
        reducido, reduce, reducir, redujo, disminuye, disminuir, disminuyo
        publica, publicar, publico, publicado, publicada
        sustituido, sustituye, sustituir, sustituyo, reemplaza, reemplazar, reemplazo, reemplazado
        funda, fundar, fundo, fundado, fundada, crea, crear, creo
        esta situado en, esta situada en, esta ubicado en, esta ubicada en, ubicado, ubicada, situado, situada
        corre, correr, corria, trota, trotar, sale a correr, hace footing
        actualizado, actualiza, actualizar, actualizo, actualizacion
        debe, deber, debia, tiene que, esta obligado a, esta obligada a
        en casa, en su casa, en su domicilio
        piso, pisos, apartamento, apartamentos
        vivienda, viviendas, hogar
        empleo, empleos, puesto, puestos, puesto de trabajo
        empresa, empresas, compania, companias, firma
        jefe, jefa, jefes, patron, patrona
        companero de trabajo, companera de trabajo, companeros de trabajo, colega, colegas
        empleados, trabajadores, plantilla, personal
        cliente, clienta, clientes, clientela
        medico, medica, medicos, doctor, doctora
        medico de cabecera, medica de cabecera, medico de familia, medica de familia
        nino, nina, ninos, ninas, crio, crios, chiquillo
        esposa, mujer
        marido, esposo
        madre, mama
        padre, papa
        padres, padre y madre, madre y padre
        abuela, abuelita, yaya
        abuelo, abuelito, yayo
        abuelos, abuelo y abuela
        mascota, mascotas, animal de compania
        coche, coches, auto, autos, carro, carros, automovil
        bicicleta, bicicletas, bici, bicis
        movil, celular, telefono movil, telefono celular, smartphone
        ordenador, ordenadores, computadora, computador, pc
        portatil, ordenador portatil, laptop
        television, tele, televisor, tv
        foto, fotos, fotografia, fotografias
        pelicula, peliculas, peli, film
        vacaciones, dias libres
        reunion, reuniones, meeting
        correo electronico, correo, email, emails, e mail, mail
        error, errores, fallo, fallos, bug, bugs
        funcion, funciones, funcionalidad, funcionalidades
        contrasena, contrasenas, clave de acceso, password
        base de datos, bd
        sitio web, pagina web, web
        aplicacion, aplicaciones, app
        sede, sede central, sede principal, oficina central, oficinas centrales
        sucursal, sucursales, delegacion
        deuda, deudas, adeuda, debe dinero
        alquiler, arriendo, precio del alquiler
        enfermedad, enfermedades, dolencia
        medicamento, medicamentos, medicina, farmaco, farmacos
        alimentos, comestibles, viveres
        director general, directora general, ceo, consejero delegado
        fecha limite, plazo, deadline
        numero de telefono, tel, telefono
        ascensor, elevador
        gimnasio, gym
        gafas, anteojos
        carne de conducir, permiso de conducir, licencia de conducir
        patata, patatas, papas
        zumo, jugo
        grande, grandes, enorme, inmenso, gran
        pequeno, pequena, pequenos, diminuto
        rapido, rapida, rapidos, veloz, rapidamente
        lento, lenta, despacio, lentamente
        caro, cara, caros, costoso, costosa
        barato, barata, baratos, economico, economica, asequible
        usado, usada, de segunda mano, de ocasion
        gratis, gratuito, gratuita, sin coste, sin costo
        tranquilo, tranquila, silencioso, silenciosa
        enfermo, enferma, enfermos, esta malo, esta mala
        roto, rota, averiado, averiada, estropeado, estropeada, no funciona, fuera de servicio
        dificil, dificiles, complicado, complicada
        facil, faciles, sencillo, sencilla, simple
        embarazada, encinta, espera un bebe, espera un hijo
        miedo, teme, temor, temer
        contento, contenta, feliz, felices
        favorito, favorita, preferido, preferida, predilecto
        diario, diaria, diariamente, cada dia, todos los dias, al dia
        semanal, semanalmente, cada semana, todas las semanas, a la semana, por semana
        mensual, mensualmente, cada mes, todos los meses, al mes, por mes
        anual, anualmente, cada ano, todos los anos, al ano, por ano
        aproximadamente, alrededor de, mas o menos, cerca de, aprox
        al menos, por lo menos, como minimo, minimo
        como mucho, como maximo, a lo sumo, maximo
        casi, practicamente
        por la noche, de noche, por las noches
        por la manana, de manana, por las mananas
        normalmente, habitualmente, generalmente, por lo general, de costumbre, suele
        a menudo, con frecuencia, frecuentemente, muchas veces
        rara vez, raramente, pocas veces, casi nunca
        a veces, de vez en cuando, algunas veces, ocasionalmente
        juntos, juntas, conjuntamente
        inmediatamente, enseguida, de inmediato, en seguida
        por ejemplo, p ej
        cerca de, proximo a, no lejos de, en las cercanias de
        a causa de, debido a, por culpa de
        en lugar de, en vez de
        vegetariano, vegetariana, no come carne, sin carne
        vegano, vegana, no come productos animales, no consume productos animales
        abstemio, abstemia, no bebe alcohol, nunca bebe alcohol, no toma alcohol
        no fumador, no fumadora, no fuma
        hijo unico, hija unica, no tiene hermanos, sin hermanos
        soltero, soltera, no esta casado, no esta casada
        sin hijos, no tiene hijos
        desempleado, desempleada, en paro, parado, sin trabajo, sin empleo
        sordo, sorda, no puede oir
        ciego, ciega, invidente, no puede ver
        zurdo, zurda, escribe con la izquierda
        analfabeto, analfabeta, no sabe leer ni escribir
        teletrabajo, teletrabaja, trabaja desde casa
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
