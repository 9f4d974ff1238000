"""English words and phrases that say the same: a group a line, chosen as a thesaurus of everyday notes has them. Data."""

SYNONYMS = """
    live, lives, living, lived, reside, resides, dwells, makes her home, makes his home
    work, works, employed
    works as, work as, is employed as, has a job as, earns a living as
    works for, work for, is employed by, is on the staff of
    employs, employ, has a staff of, has a workforce of
    staff, employees, workforce, personnel, workers
    big, large, huge
    small, little, tiny
    buy, buys, bought, purchase, purchased, acquired, got hold of
    start, starts, started, begin, begins, began, begun, commence, gets going, got going, gets under way, got under way, kicks off, kicked off
    finish, finishes, finished, complete, completes, completed
    ends, end, ended, runs out, comes to an end, concludes, concluded, expires, expire
    like, likes, enjoy, enjoys, fond, is keen on, is fond of, takes pleasure in
    love, loves, adores
    dislike, dislikes, hate, hates, detests, loathes, can not stand, does not like, do not like, is not fond of, is no fan of, is not keen on, does not enjoy
    car, automobile, motorcar, vehicle
    phone, mobile, smartphone, cellphone, telephone, mobile phone, cell phone
    phones, telephones, gives a call, gives a ring
    laptop, notebook computer
    bike, bicycle, push bike
    rides a bike, rides her bike, rides his bike, goes by bike
    television, tv, telly
    fridge, refrigerator
    sofa, couch, settee
    fast, quick, rapid, speedy, swift
    doctor, physician, gp, general practitioner, family doctor
    children, child, kid, kids
    moved, relocated, moved house
    boss, supervisor, line manager, superior
    colleague, coworker, co worker, workmate, teammate, team mate
    daily, every day, each day, day after day, per day
    weekly, every week, each week, once a week, per week
    monthly, every month, each month, once a month, per month
    yearly, annual, annually, every year, each year, once a year, per year
    nightly, every night, each night
    hourly, every hour, each hour, once an hour, per hour
    fortnightly, every two weeks, every other week, every fortnight, every second week
    use, uses, using, utilises, utilizes, makes use of
    week, wk
    repository, repo
    database, db
    headquarters, headquarter, hq, head office, main office
    based in, headquartered in
    flat, apartment
    fix, fixed, repaired, repair, mended, mend, put right
    error, bug, defect, fault
    delete, deleted, remove, removed, erased
    build, builds, built, construct, constructs
    produce, produces, manufactures
    speak, speaks, talks, spoke
    jogs, goes jogging
    runs, goes for a run, goes running
    swim, swims, swimming, goes swimming, goes for a swim
    walks, goes for a walk, goes for walks
    on foot, by foot
    located, situated, based
    stopped, ceased, gave up, give up, giving up, given up, quit, has stopped
    allergic, allergy, has an allergy, suffers from an allergy
    wife, spouse
    marry, married, got married, tied the knot, wed, is wed, is married
    divorced, got a divorce
    near, close to, not far from, close by, in the vicinity of
    beside, next to
    mail, email
    leads, heads, is the head of, is head of, is in charge of, is the leader of
    reports to, works under
    teach, teaches, gives lessons in, taught
    graduated, got a degree, took a degree, got her degree, got his degree
    pupil, schoolchild
    university, uni, univ, college
    expensive, costly, pricey
    cheap, low priced
    medicine, medication
    pill, tablet
    vegetarian, does not eat meat, do not eat meat, eats no meat, can not eat meat, never eats meat, avoids meat, veggie
    teetotal, does not drink alcohol, drinks no alcohol, never drinks alcohol, abstains from alcohol
    reply, answer, respond, responds, replies, answers, writes back
    picture, image, photo, photograph
    holiday, vacation
    film, movie
    cinema, movie theater
    ship, ships, release, releases, released, shipped
    founded, established
    won, came first, took first place
    launch, launched, went live, goes live, rolled out
    written in, coded in, implemented in, programmed in
    written, coded, implemented
    deploy, deploys, rolls out
    needs, requires, require, need, can not do without
    permits, allows, permit, allow
    allowed, permitted
    forbidden, banned, prohibited, not allowed, not permitted, must not, are banned, is banned
    shows, show, displays
    keep, keeps, kept, store, stores, stored
    receive, receives, gets, received
    maximum, max, at most, no more than, not more than, at the most
    minimum, min, least, at least, no less than, not less than, no fewer than, or more, or newer, or later, or higher, or above, or over, and up, and above
    own, owns, possesses, is the owner of
    belongs to, is owned by, is the property of
    parents, mother and father, mum and dad, mom and dad
    siblings, brothers and sisters
    only child, has no siblings, has no brothers or sisters
    grandmother, grandma, granny, nan
    grandfather, grandpa, grandad
    sick, ill, unwell, in poor health
    quiet, silent
    loud, noisy
    morning, a m, in the morning
    afternoon, p m, in the afternoon
    evening, in the evening
    chief executive, ceo, chief executive officer
    chief technology officer, cto
    chief financial officer, cfo
    human resources, hr
    department, dept
    dead, died, passed away, deceased
    afraid, scared, frightened, terrified
    customer, client
    cost, costs, price, priced, is priced at
    free of charge, for free, at no cost, costs nothing, without charge, gratis
    favourite, favorite, likes best, likes most
    nearly, almost
    via, by way of, by means of
    about, roughly, approximately
    called, named, goes by the name of, by the name of
    mother, mum, mom
    father, dad
    above, over
    below, under, beneath
    inside, within
    until, till, up until
    since, ever since
    because of, due to, owing to, on account of, as a result of
    instead of, in place of
    by train, by rail
    salary, wage
    broken, out of order, out of service, defunct
    web, website, web site, web page
    ui, user interface, interface
    login, log in, sign in, signs in, logs in
    logout, log out, sign out
    chose, choose, chosen, opted for, decided on
    agree, agreed, reached an agreement
    hire, hires, hired, recruited
    fired, dismissed, sacked, laid off
    freelancer, freelance, self employed
    part time, half time
    works remotely, works from home, wfh
    merged, joined forces, combined
    cancel, cancelled, canceled, called off, scrapped
    postponed, postpone, delayed, pushed back
    visit, visits, visited, went to see, goes to see
    trip, journey
    lent, loaned
    seeks, seek, seeking, search, looks for, look for, searches for, is looking for, is searching for
    chicken, hen
    employment, job
    high school, secondary school
    advised, recommended
    bank transfer, wire transfer
    gym membership, fitness club membership
    washer, washing machine
    degrees, degrees celsius, degree celsius
    suggest, recommend
    flying, air travel
    typescript, ts
    javascript, js
    owner, proprietor
    help, helps, assist, assists, gives a hand
    pull request, pr, merge request
    documentation, docs
    configuration, config
    directory, folder
    environment, env
    development, dev
    production, prod
    application, app
    admin, administrator
    information, info
    specification, spec
    version, release version
    backup, back up
    restart, reboot, rebooted, restarted
    install, installed, set up on
    update, updated, upgraded, upgrade
    automatically, automated, automatic
    manually, by hand
    crash, crashes, crashed, falls over
    outage, downtime
    kubernetes, k8s
    postgres, postgresql
    password, passcode
    mandatory, compulsory, obligatory, required
    easy, simple
    tired, exhausted
    deaf, can not hear
    pregnant, is expecting a baby, is expecting a child
    diabetic, has diabetes, suffers from diabetes
    asthmatic, has asthma, suffers from asthma
    suffers from, is afflicted with
    recovered, got well, got better
    glasses, spectacles, eyeglasses
    clothes, clothing, garments
    supermarket, grocery store
    breakfast, eats breakfast, has breakfast, morning meal
    lunch, eats lunch, has lunch, midday meal
    dinner, eats dinner, has dinner, supper, evening meal
    spicy, spicy food
    gym, fitness centre, fitness center, fitness studio
    football, soccer
    dog, dogs, hound
    vet, veterinarian, veterinary surgeon
    storey, floor
    staircase, stairs
    motorway, highway, freeway
    station, railway station, train station
    harbour, harbor
    town, city
    usa, united states, america, united states of america
    uk, united kingdom, britain, great britain
    debt, debts, owes
    mortgage, home loan
    refund, money back
    area, floor space
    shareholder, stockholder
    lawyer, attorney, solicitor
    police officer, policeman, policewoman, cop
    developer, programmer, coder, software engineer, software developer
    accountant, bookkeeper
    professor, prof
    carpenter, joiner
    farmer, runs a farm
    taught himself, taught herself, self taught
    neighbour, neighbor
    roommate, flatmate, housemate
    together, jointly
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
    weekdays, on weekdays, monday to friday, monday through friday, on working days
    birthday party, birthday celebration
    christmas, xmas
    secondhand, second hand, pre owned, preowned
    brand new, factory new
    colour, color
    grey, gray
    centre, center
    electric, electrically powered, battery powered
    wireless, cordless
    organise, organises, organize, organizes, arranges
    attends, takes part in, participates in
    approve, approved, okayed, gave the green light, signed off on
    rejected, reject, turned down
    proposed, propose, suggested, put forward
    increased, increase, rose, went up
    decreased, decrease, lowered, reduced, went down
    replaced, took the place of, superseded
    switched, switch, changed over
    weighs, weigh, has a weight of, weight
    seats, has room for, can hold, accommodates, can seat
    consists of, comprises, is made up of, is composed of, is made of
    holds, contains, includes
    without, lacks, has no, does not have any, does not have
    closed, shut
    happens, takes place, is held, occurs
    oldest, eldest
    timezone, time zone
    mother tongue, native language, first language, native speaker
    lactose intolerant, can not tolerate lactose, can not digest lactose, does not tolerate lactose
    coeliac, celiac, can not eat gluten, does not tolerate gluten, gluten intolerant, coeliac disease, celiac disease
    out of date, outdated, obsolete
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
