"""English words and phrases that say the same: a group a line, chosen as a thesaurus of everyday notes has them. Data."""

SYNONYMS = """
    live, lives, living, lived, reside, resides, dwells, home, makes her home, makes his home
    work, works, employed, job, position, post
    works as, work as, is employed as, has a job as, earns a living as
    works for, work for, is employed by, is employed at, works at, is on the staff of
    employs, employ, has a staff of, has a workforce of
    staff, employees, workforce, personnel, workers
    big, large, huge
    small, little, tiny
    buy, buys, bought, purchase, purchased, acquired, got hold of
    sell, sells, sold
    start, starts, started, begin, begins, began, begun, commence, gets going, got going, gets under way, got under way, kicks off, kicked off, takes up, took up
    finish, finishes, finished, complete, completes, completed
    ends, end, ended, runs out, comes to an end, concludes, concluded, expires, expire
    like, likes, enjoy, enjoys, love, loves, fond, prefers, prefer, wants, is keen on, is fond of, is partial to, takes pleasure in
    dislike, dislikes, hate, hates, detests, loathes, can not stand, does not like, do not like, is not fond of, is no fan of, is not keen on, does not enjoy
    car, automobile, motorcar, vehicle
    phone, mobile, smartphone, cellphone, telephone, mobile phone, cell phone
    phones, telephones, gives a call, gives a ring
    laptop, notebook computer
    bike, bicycle, cycle, push bike
    cycles, rides a bike, rides her bike, rides his bike, goes by bike, bikes
    television, tv, telly
    fridge, refrigerator
    sofa, couch, settee
    brief, short, concise
    fast, quick, rapid, speedy, swift
    doctor, physician, gp, general practitioner, family doctor
    children, child, kid, kids
    moved, relocated, moved house
    company, firm, business
    boss, supervisor, line manager, manager, superior
    colleague, coworker, co worker, workmate, teammate, team mate
    daily, every day, each day, day after day, per day, day
    weekly, every week, each week, once a week, per week, week, wk
    monthly, every month, each month, once a month, per month, month
    yearly, annual, annually, every year, each year, once a year, per year, year
    nightly, every night, each night, night, at night
    hourly, every hour, each hour, once an hour, per hour
    fortnightly, every two weeks, every other week, every fortnight, every second week
    use, uses, using, utilises, utilizes, makes use of, employ
    repository, repo
    database, db
    headquarters, headquarter, hq, head office, main office
    headquartered in, based in, has its headquarters in, has its head office in, has its seat in
    flat, apartment
    fix, fixed, repaired, repair, mended, mend, put right
    error, bug, defect, fault
    delete, deleted, remove, removed, erased
    make, makes, build, builds, create, creates, made, built, created, produces, manufactures
    speak, speaks, talks, spoke
    run, runs, running, jogs, jogging, goes jogging, goes for a run, goes running
    swim, swims, swimming, goes swimming, goes for a swim
    walk, walks, goes for a walk, goes for walks, on foot, by foot
    located, situated, sits, based, found
    stopped, ceased, dropped, gave up, give up, giving up, given up, quit, has stopped
    allergic, allergy, has an allergy, suffers from an allergy
    wife, spouse
    marry, married, got married, tied the knot, wed, is wed, is married
    divorced, got a divorce
    near, close to, next to, beside, not far from, close by, in the vicinity of, around the corner from, close
    opposite, across from, facing
    meeting, call
    mail, email
    leads, heads, is the head of, is head of, is in charge of, is the leader of, runs, manages, is responsible for, directs
    reports to, answers to, works under
    teach, teaches, teacher, gives lessons in, taught
    study, studies, student, is a student of
    graduated, got a degree, took a degree, got her degree, got his degree
    pupil, schoolchild
    university, uni, univ, college
    expensive, costly, dear, pricey
    cheap, low priced
    born, birthday, was born, came into the world
    medicine, drug, medication
    pill, tablet
    cook, cooks, cooking
    vegetarian, does not eat meat, do not eat meat, eats no meat, can not eat meat, never eats meat, avoids meat, veggie
    teetotal, does not drink alcohol, drinks no alcohol, never drinks alcohol, does not drink, abstains from alcohol
    non smoker, does not smoke, never smokes
    reply, answer, respond, responds, replies, answers, writes back
    picture, image, photo, photograph
    holiday, vacation
    film, movie
    cinema, movie theater
    autumn, fall
    ship, ships, release, releases, released, shipped
    publishes, brings out, puts out, comes out with
    founded, established, set up
    won, came first, took first place
    published, came out, appeared, was released
    launch, launched, went live, goes live, rolled out
    written in, coded in, implemented in, programmed in
    written, coded, implemented
    deploy, deploys, rolls out
    needs, requires, require, need, calls for, can not do without, depends on, relies on
    permits, allows, permit, allow, lets
    allowed, permitted, may
    forbidden, banned, prohibited, not allowed, not permitted, may not, must not, are banned, is banned
    show, shows, display, displays
    keep, keeps, hold, holds, store, stores, stored, kept, contains
    send, sends, sent
    receive, receives, gets, received
    maximum, max, most, limit, cap, at most, no more than, not more than, at the most
    minimum, min, least, at least, no less than, not less than, no fewer than, or more, or newer, or later, or higher, or above, or over, and up, and above
    own, owns, has, possesses, is the owner of
    belongs to, is owned by, is the property of
    parents, mother and father, mum and dad, mom and dad
    siblings, brothers and sisters
    only child, has no siblings, has no brothers or sisters
    grandmother, grandma, granny, nan
    grandfather, grandpa, grandad
    sick, ill, unwell, in poor health
    supports, support
    code, source code
    test, tests
    ride, rides
    quiet, silent
    loud, noisy
    morning, a m, in the morning, am
    afternoon, p m, in the afternoon
    evening, in the evening
    chief executive, ceo, chief executive officer
    chief technology officer, cto
    chief financial officer, cfo
    human resources, hr
    department, dept
    dead, died, passed away, deceased
    afraid, scared, fear, frightened, terrified, has a fear of
    customer, client
    cost, costs, price, priced, is priced at, sells for, comes to
    pays, spends
    free, free of charge, for free, at no cost, costs nothing, without charge, gratis
    favourite, favorite, likes best, likes most
    funds, funding
    nearly, almost
    through, via, by way of, by means of
    about, roughly, approximately
    called, named, name, names, goes by the name of, by the name of
    mother, mum, mom
    father, dad
    above, over
    below, under, beneath
    inside, within
    until, till, up until
    since, ever since
    because of, due to, owing to, on account of, as a result of
    instead of, in place of
    flight, plane
    fly, flies, goes by plane, travels by plane
    train, rail
    by car, drives
    salary, wage, earns, earn, pay, makes
    broken, broke, out of order, does not work, is not working, out of service, defunct
    web, website, web site, web page
    ui, user interface, interface
    login, log in, sign in, signs in, logs in
    logout, log out, sign out
    picks up, collects, fetches
    hand over, handed over, passed on
    chose, choose, chosen, picked, selected, opted for, went for, decided on, settled on
    agree, agreed, reached an agreement
    hire, hires, hired, recruited, took on, taken on
    fired, dismissed, sacked, laid off, let go
    freelancer, freelance, self employed, works for herself, works for himself, is her own boss, is his own boss
    part time, half time
    remotely, remote, from home, wfh, works from home, works remotely, home office
    merged, joined forces, combined
    cancel, cancelled, canceled, called off, scrapped
    postponed, postpone, put off, delayed, pushed back
    plan, plans, intends, is planning, has plans
    visit, visits, visited, went to see, goes to see, calls on
    trip, journey
    travel, travels, travelled
    come from, comes from, is from, hails from, originates from, native of, is originally from
    rent, rents, leases, lease, is renting
    rented, leased
    borrow, borrowed
    lent, loaned
    seeks, seek, seeking, search, looks for, look for, searches for, is looking for, is searching for
    chicken, hen
    employment, job
    upper, top
    screen, display, monitor
    gives back, returns, return
    training, practice
    high school, secondary school
    spent, used up
    advised, recommended
    transfer, wire transfer, bank transfer, wire
    gym membership, fitness club membership
    washer, washing machine
    degrees, degrees celsius, degree celsius
    suggest, recommend
    flying, air travel, travelling by plane
    garage, workshop
    typescript, ts
    javascript, js
    owner, proprietor
    practise, practice
    help, helps, assist, assists, aids, gives a hand
    explain, explained
    issue, problem, trouble
    pull request, pr, merge request
    documentation, docs
    configuration, config, settings
    directory, folder
    environment, env
    development, dev
    production, prod
    application, app
    admin, administrator
    information, info
    specification, spec
    version, release version
    parameter, argument
    backup, back up, backed up, backs up
    restart, reboot, rebooted, restarted
    install, installed, set up on
    update, updated, upgraded, upgrade
    automatically, automated, automatic, by itself, on its own
    manually, by hand
    crash, crashes, crashed, falls over
    freezes, hangs, locks up
    outage, downtime
    kubernetes, k8s
    postgres, postgresql
    password, passcode
    mandatory, compulsory, obligatory, required
    difficult, hard
    easy, simple
    tired, exhausted
    deaf, can not hear
    pregnant, is expecting, is expecting a baby, is expecting a child, expecting
    gave birth to, had a baby
    surgery, operation
    injured, hurt
    diabetic, has diabetes, suffers from diabetes
    asthmatic, has asthma, suffers from asthma
    suffers from, is afflicted with
    recovered, got well, got better
    glasses, spectacles, eyeglasses
    clothes, clothing, garments
    gift, present
    supermarket, grocery store
    breakfast, eats breakfast, has breakfast, morning meal
    lunch, eats lunch, has lunch, midday meal
    dinner, eats dinner, has dinner, supper, evening meal
    spicy, spicy food, hot food
    gym, fitness centre, fitness center, fitness studio
    football, soccer
    match, game
    coach, trainer
    play, plays
    dog, dogs, hound
    cat, cats
    vet, veterinarian, veterinary surgeon
    storey, floor, level
    staircase, stairs
    motorway, highway, freeway
    station, railway station, train station
    harbour, harbor
    town, city
    usa, united states, america, united states of america
    uk, united kingdom, britain, great britain
    revenue, turnover, sales
    profit, earnings
    debt, debts, owes
    mortgage, home loan
    invoice, bill
    due, payable, has to be paid, must be paid, is to be paid
    paid, settled
    refund, money back
    discount, reduction
    area, floor space
    shareholder, stockholder
    contract, agreement
    lawyer, attorney, solicitor
    police officer, policeman, policewoman, cop
    developer, programmer, coder, software engineer, software developer
    accountant, bookkeeper
    professor, prof
    carpenter, joiner
    farmer, runs a farm
    taught himself, taught herself, self taught
    neighbour, neighbor, lives next door
    roommate, flatmate, housemate
    share, shares, splits
    together, jointly
    alone, by herself, by himself, on her own, on his own
    often, frequently
    rarely, seldom, hardly ever
    usually, normally, as a rule, generally, typically
    sometimes, occasionally, now and then, from time to time, at times
    always, at all times, without exception
    never, at no time, not ever
    immediately, at once, straight away, right away, instantly
    soon, before long, shortly
    again, once more, once again
    formerly, previously, used to
    currently, at present, at the moment, presently, right now
    early, at an early hour
    weekdays, on weekdays, monday to friday, monday through friday, on working days
    birthday party, birthday celebration
    christmas, xmas
    secondhand, second hand, used, pre owned, preowned
    brand new, factory new
    colour, color
    grey, gray
    centre, center
    electric, electrically powered, battery powered
    wireless, cordless
    organise, organises, organize, organizes, arranges
    attends, takes part in, participates in
    reviews, goes over
    approve, approved, okayed, gave the green light, signed off on
    reject, rejected, turned down, declined
    propose, proposed, suggested, put forward
    increased, increase, raised, went up, rose
    decreased, decrease, lowered, reduced, fell, cut, went down
    replaced, took the place of, superseded
    switched, switch, changed over
    connect, connects, links
    weighs, weigh, has a weight of, weight
    capacity, seats, has room for, can hold, holds up to, accommodates, can seat
    consists of, comprises, is made up of, is composed of, is made of
    includes, contains
    without, lacks, has no, does not have any, does not have
    closed, shut
    takes place, is held, happens, occurs
    oldest, eldest
    timezone, time zone
    mother tongue, native language, first language, native speaker
    lactose intolerant, can not tolerate lactose, can not digest lactose, does not tolerate lactose
    coeliac, celiac, can not eat gluten, does not tolerate gluten, gluten intolerant, coeliac disease, celiac disease
    out of date, outdated, obsolete
    up to date, current
    age, years old, years of age, year old
    12:00, noon, midday
    0:00, midnight
    2 times, twice
    14 days, fortnight, a fortnight
    10 years, decade, a decade
    30 minutes, half an hour, half hour
    15 minutes, quarter of an hour, a quarter of an hour
    90 minutes, an hour and a half, one and a half hours, 1 and a half hours
    18 months, a year and a half, one and a half years, 1 and a half years
    6 months, half a year
    1 hour, an hour
    6, half a dozen
    percent, per cent
    kmh, km/h, kph, kilometres an hour, kilometers an hour, kilometres per hour, kilometers per hour
    m2, square metres, square meters, sq m, square metre, square meter
    1990s, nineties, 90s
    q1, first quarter, 1st quarter
    q2, second quarter, 2nd quarter
    q3, third quarter, 3rd quarter
    q4, fourth quarter, 4th quarter
    can not, is unable to, are unable to, is not able to, are not able to, is incapable of
    not available, unavailable
    not paid, unpaid
    not married, unmarried
    not furnished, unfurnished
    not used, unused
    not known, unknown
    not supported, unsupported
    not reliable, unreliable
    not safe, unsafe, insecure
    not active, inactive
    not complete, incomplete
    not correct, incorrect
    not legal, illegal
    not possible, impossible
    not valid, invalid
    not encrypted, unencrypted
    not finished, unfinished
    not limited, unlimited, without limit
    not tested, untested
    not happy, unhappy
    not healthy, unhealthy
    not employed, unemployed, jobless, out of work, without a job
    not required, optional, not mandatory, not compulsory
    not expensive, inexpensive
    not documented, undocumented
    not maintained, unmaintained
    not experienced, inexperienced
    not suitable, unsuitable
    not willing, unwilling
"""
