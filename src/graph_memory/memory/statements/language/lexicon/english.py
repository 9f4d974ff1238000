"""The English lexicon."""

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

ENGLISH = Lexicon(
    analyser="english",
    common="""
        a an the this that these those it its he she they his her hers their theirs them him is are was were be been
        am has have had do does did of in on at to for from by with as and or but so than then there
        here who whom which what when where i me my mine we us our you your s re ve ll about around roughly
        approximately approx circa some very quite whose per each every all any also will would can could into
        onto go goes going went come comes coming came get gets got located situated consists consist
    """,
    each_weekday="every each",
    tense="was were had did been/is are am has have does do",
    negations="""
        not, no, never, none, nothing, nobody, without, nor, neither, unable, refuses to, lacks, fails
        to
    """,
    endings="""
        no longer, not any more, not anymore, any more, anymore, any longer, no more, stop, stopped, ceased, ended,
        ceases, stops, finished, quit, quits, gives up, left, leaves, sold, sells, resigned,
        retired, dropped, drops, abandoned, discontinued, cancelled, canceled, removed, deleted, shut down, shut,
        closed, expired, terminated, ran out, lost, broke, died, is gone, are gone, is over, went away, scrapped,
        decommissioned, deprecated, revoked, lifted, withdrawn, withdrew, has not * for, have not * for, has not *
        since, split up, divorced, separated, got rid of, gave away, threw away, threw out, used up, broke up,
        phased out, turned off, switched off, dissolved, handed in * notice, gave * notice, gave up,
        reversed, overturned, overruled, rescinded, repealed, superseded, supersedes, rolled back, reverted, in
        favour of, in favor of,
        decided * against, voted * against, opted against, chose against
    """,
    changes="""
        changed, changes, moved, relocated, switched, raised, lowered, increased, decreased, reduced, renamed,
        replaced, replaces, became, becomes, turned into, migrated, upgraded, downgraded, converted, extended,
        shortened, postponed, brought forward, rescheduled, delayed, promoted, transferred, swapped,
        went from, is up to, is down to, up from, down from, grew to, fell to, rose to, dropped
        to, cut to, shifted, reassigned, rebuilt, rewritten, reinstalled, merged, went back, moved back, returned
        to, settled, took over, taken over, instead, new, again, resumed, back to, restarted, updated, amended,
        revised, adjusted, set to, transitioned, joined, started, began, hired, appointed, succeeded, acquired,
        bought
    """,
    now="""
        now, nowadays, currently, these days, today, as of, from now on, since then, by now, meanwhile,
        recently, lately, already, yesterday, last week, last month, this week, this month, since last, since the
    """,
    wishes="""
        wants to, want to, wanted to, would, would like, plans to, planning to, plan is, is planned, planned for,
        hopes, hoping, wishes, intends to, intend to, considering, considers, evaluating, thinking about, thinking
        of, dreams of, if, unless, in case, might, may, could, should, maybe, perhaps, possibly, proposed, proposes,
        proposal, suggested, goal, target, aims, aim is, will, is going to, are going to, next year, next month,
        some day, one day, expects to, is thinking, toys with, applied for, looking for, looking to, is looking,
        ought to, supposed to, seeks, is seeking, seeking
    """,
    claims="""
        says, said, claims, claimed, according to, thinks, believes, rumour*, rumor*, allegedly, reportedly,
        supposedly, apparently, heard that, told, suspects, guesses, assumes, in the opinion, argues, complains
    """,
    reasons="because",
    stand_ins="""
        stands in, standing in, stood in, fills in, filling in, deputises, deputizes, deputy, temporarily,
        temporary, for the time being, on loan, covers for, covering for, substitute*, acting, interim, while * is
        away, while * is on, on behalf, borrowed, for now, until * returns, until * is back
    """,
    also="""
        also, too, as well, another, additionally, in addition, besides, likewise, other, furthermore, moreover, a
        further
    """,
    past="""
        formerly, previously, in the past, as a student, as a child, as a boy, as a girl, as a teenager,
        once, back then, earlier, years ago, at school, in his youth, in her youth, during
    """,
    misleading="""
        not stop, never stop, the left, his left, her left, left hand*, left knee, left leg, left arm, left eye,
        left foot, left side,
        left ear, left wrist, left shoulder, on left, left over, will not, would not, not only, no matter, no doubt,
        no problem, once a, once every, once per, once the, once it, once all,
        once they, at first, no one knows, as soon as, last name, just like, just as,
        open source, new york, new zealand, as well as, such as, other than, over again, what if, if called, even
        if, as if, every other, reversed into, reversed out, vot* in favour of, vot* in favor of, is in favour of,
        is in favor of, are in favour of, are in favor of
    """,
    limits="""
        only, except, exclusively, solely, apart from, other than, unless, but for, nothing but, maximum, minimum, some, most, many, few, several, half of, over, under, more than, less than, all but,
        everyone but, everything but, not all, not every
    """,
    abilities="can, could, knows how to",
    singles="favourite, favorite, main, primary, default, official, capital, native, maiden name, eldest, oldest, youngest, best, biggest, largest, top",
    holds_one="""
        lives in, lives at, resides in, based in, headquartered in, works at, works for, works from, employed at,
        employed by, reports to, married to, engaged to, studies at, drives a, hosted on, hosted by,
        deployed to
    """,
    copulas="is are",
    corrections="""
        actually, correction, in fact, wrong, mistake, mistaken, mix up, mixed up, mixup, turned out, turns out,
        contrary to, not correct, erroneous*, misheard, misread, typo, not true, in reality, rather than, no longer
        true, should have been, was meant, confused with
    """,
    spoken_to="you, your, yours, yourself, yourselves, u, ya",
    kin="""
        mother, father, mum, mom, dad, parents, brother, brothers, sister, sisters, son, sons, daughter, daughters,
        child, children, wife, husband, partner, girlfriend, boyfriend, fiance, fiancee, uncle, aunt, cousin,
        grandmother, grandfather, nephew, niece, colleague, colleagues, friend, friends, neighbour, neighbor,
        neighbours, boss, manager, roommate, flatmate, team mate, teammate, twin, ex, predecessor, successor,
        assistant, landlord, in laws
    """,
    states="""
        works, work, employed, employee, job, engineer, manager, analyst, teacher, developer, head of, lead, leads, director, position, role: left, resigned, quit, retired, fired, laid off, dismissed, new job, hired, joined, moved on, handed over, stepped down, promoted, sabbatical, unemployed
        lives, live, living, resides, based, home, house, flat, apartment, address, rents, headquarter*, office, located: moved, moved out, relocated, sold, settled, emigrated, gave up, left, evicted, bought
        owns, has, uses, drives, rides, keeps, phone, car, bike, laptop, device: sold, lost, broke, stolen, replaced, gave away, scrapped, went to, totalled, returned, swapped, traded in, died, wrote off, switched
        married, wife, husband, partner, relationship, together, engaged, girlfriend, boyfriend, dating: divorced, separated, split up, broke up, widowed, single, ended
        single, unmarried, bachelor, widowed, divorced: married, engaged, wedding, wife, husband, partner
        pregnant, expecting, due: born, gave birth, baby, delivered, miscarriage
        open, pending, waits, waiting, awaiting, in review, under review, draft, unresolved, in progress, ongoing, blocked, undecided, negotiat*, unpaid: merged, closed, approved, rejected, resolved, fixed, shipped, released, decided, signed, done, finished, completed, went live, passed, accepted, granted, unblocked, paid, green light, settled, denied
        decided, decision, chose, chosen, choice, agreed, adopted, adr: reversed, revoked, overturned, overruled, rescinded, superseded, supersedes, reverted, rolled back, withdrawn, in favour of, in favor of
        planned, scheduled, takes place, due, date, deadline, expires, until, starts, begins, ends: postponed, cancelled, canceled, pushed back, brought forward, moved, rescheduled, delayed, extended, renewed, called off, took place, new date, shortened
        broken, down, fails, failing, crashes, flaky, bug, outage, defective, does not work, leaks, slow, out of order: repaired, fixed, works again, is back, restored, resolved, replaced, runs again, solved, up again
        ill, sick, injured, hospital, depressed, flu, broken, treatment, therapy, recovering, pain: recovered, healed, discharged, cured, well again, back at work, pain free
        medication, takes, medicine, pills, tablets, mg, dose: stopped, discontinued, came off, weaned, switched, without, drug free
        drinks, smokes, eats, gambles, runs, plays, trains, goes, coffee, cigarettes, alcohol, meat, sugar: stopped, gave up, quit, has not touched, abstain*, sober, cut out, vegan, vegetarian, clean
        vegan, vegetarian, does not eat, teetotal*, allergic, avoids: eats, drinks, again, outgrew, tolerates
        student, studies, studying, apprentice, trainee, intern, school, learning, enrolled, course, degree, thesis: graduated, passed, dropped out, finished, completed, defended, qualified, degree
        has no, does not have, no, without, needs, lacks, looking for, searching: got, bought, born, passed, adopted, received, obtained, found, acquired, earned, arrived
        vacant, vacancy, hiring, unfilled: hired, filled, appointed, found
        allowed, permitted, supports, supported, accepts, available: dropped, forbidden, banned, removed, ended, discontinued, rejects, refuses, withdrawn, prohibited
        forbidden, banned, prohibited, not allowed, closed to, unsupported, does not support: allowed, admitted, permitted, opened, welcome, supports, works
        runs on, hosted, deployed, written in, built with, stored, kept, database, framework, runs, uses: migrated, switched, replaced, reinstalled, rewritten, ported, moved to, dropped, removed, retired, decommissioned
        returns, raises, throws, accepts, responds, defaults, ignores: raises, throws, returns, ignored, rejects, fails, removed
        alive, living, old: died, passed away, dead, deceased
        for sale, on offer, available: sold, taken, withdrawn
        member, belongs, subscri*, plays for, sponsor*: left, resigned, cancelled, expelled, transferred, withdrew
        free, costs, price: raised, lowered, charges, discount, increased
        temporary, beta, trial, probation, preview, prototype: permanent, stable, released, general availability, passed, ended
        secret, confidential, internal, private, unannounced: announced, published, leaked, public, open sourced
    """,
    antonyms="""
        left, left handed/right, right handed
        on, enabled, enable*, activated, active/off, disabled, disable*, deactivated, inactive
        open, opened/closed, shut
        likes, loves, enjoys, prefers, fond, is fond of, is happy with/dislikes, hates, avoids, detests, is tired of, loathes
        alive/dead, deceased
        married/single, divorced, unmarried, widowed
        vegetarian, vegan/meat, fish, chicken, beef, steak
        public/private, internal
        synchronous*, sync/asynchronous*, async
        allowed, allows, allow, permitted, permits, admitted/forbidden, forbids, banned, prohibited, refused, blocked
        always/never
        before/after
        early/late
        full time/part time
        mandatory, required, compulsory/optional, voluntary
        manual*, by hand/automatic*, automated
        broken, down, fails, failing/fixed, repaired, works, working, up
        accepted, approved/rejected, refused, declined, denied
        increases, increased, rises, more/decreases, decreased, falls, less, fewer
        fast, quick/slow, sluggish
        cheap, inexpensive, free/expensive, pricey, paid
        healthy/ill, sick
        hot, warm/cold, cool
        morning, mornings/evening, evenings, afternoon, night
        online, remote*, home office/offline, on site, in person, from the office
        success*, passes, passed/failure, fails, failed
        optimistic/pessimistic
        boys, men, male/girls, women, female
        raises, throws, panics/returns, return
        smoker, smokes/non smoker, nonsmoker, smoke free
        employed, employee/unemployed, self employed, freelance*
        owns, owner/rents, renter, tenant, leases
        safe, secure/unsafe, insecure, dangerous
        stable/unstable, flaky
        strict/lenient
        summer/winter
        north/south
        east/west
        win, won, wins/lose, lost, loses
        finished, complete, completed, done/unfinished, incomplete, ongoing
        paid/unpaid, owes
        ascending/descending
        first/last
        minimum/maximum
        empty/full
        accept, accepts, includes, contains/ignores, excludes, rejects, ignored
    """,
    labels="""
        default, maximum, max, minimum, min, average, median, mean
        unit, integration, end to end, e2e, smoke, load, regression
        president, chair, treasurer, secretary, ceo, cto, cfo, coo, vice president, board
        work, private, home, personal, family, office
        dev, development, staging, production, prod, test, qa
        frontend, front end, backend, back end, mobile, web, desktop, api
        born, grew up, studied, raised, childhood, schooled
        read, reads, write, writes, delete, deletes
        input, output
        upload*, download*
        breakfast, lunch, dinner
        first, second, third, fourth
        ios, android
        incoming, outgoing
        source, target
        offer, bid, estimate
        front, rear, back
        primary, secondary, backup
        main, side
        goal, target, budget, forecast, limit
        wife, husband, son, daughter, mother, father, brother, sister
        login, logout, signup
        upstairs, downstairs, kitchen, bathroom, bedroom, cellar, attic, garage, garden
        p50, p90, p95, p99
        client, server
        english, french, german, spanish, italian
        course, seminar, lecture, workshop
    """,
    numbers="""
        zero/nought one two three four five six seven eight nine ten eleven twelve/dozen thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen
    """,
    ordinals="first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    tens="twenty thirty forty fifty sixty seventy eighty ninety",
    scales="thousand/k million/millions/mn billion/billions/bn",
    months="""
        january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct
        november/nov december/dec
    """,
    weekdays="monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday sunday",
    past_ending="ed",
    irregular="""
        become: became
        begin: began begun
        build: built
        buy: bought
        catch: caught
        choose: chose chosen
        draw: drew drawn
        drink: drank drunk
        drive: drove driven
        eat: ate eaten
        feed: fed
        fly: flew flown
        forget: forgot forgotten
        give: gave given
        grow: grew grown
        hear: heard
        hide: hid hidden
        hold: held
        keep: kept
        know: knew known
        lead: led
        lend: lent
        make: made
        meet: met
        pay: paid
        ride: rode ridden
        say: said
        see: seen
        sell: sold
        send: sent
        show: shown
        sing: sang sung
        sleep: slept
        speak: spoke spoken
        spend: spent
        steal: stole stolen
        swim: swam swum
        take: took taken
        teach: taught
        tell: told
        think: thought
        throw: threw thrown
        understand: understood
        wear: wore worn
        win: won
        write: wrote written
    """,
    comma_is_decimal=False,
)
