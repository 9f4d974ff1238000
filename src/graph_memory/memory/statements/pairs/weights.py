"""The weights of the two heads, written by `python -m benchmarks.heads --write`. Data."""

ABOUT_ONE_THING = (
    2.4660,  # intercept
    0.1863,  # ending or change
    1.3176,  # polarity
    0.9127,  # antonym
    2.5352,  # event that ends it
    0.8829,  # now
    2.1527,  # correction
    0.2451,  # other value
    0.4585,  # one of its kind
    -1.5563,  # guard
    -2.7649,  # parallel
    0.2077,  # much longer
    -2.4773,  # exclamation
    0.6383,  # share of new words
    -1.3009,  # share of known words
    -0.2903,  # new words
    -0.5247,  # known words
    1.7938,  # shared words
    -0.4812,  # lost words
    -0.1211,  # added words
    -1.5766,  # nothing shared
    -0.4600,  # one word exchanged
    -0.7799,  # few words exchanged
    0.4572,  # only added
    -0.7965,  # same first word
    -0.7264,  # same last word
    0.3077,  # new: change
    -0.3674,  # new: now
    0.6310,  # new: spoken_to
    0.2171,  # new: denied
    -0.4898,  # known: change
    -0.5945,  # known: stand_in
    0.4121,  # known: limit
    -0.0536,  # known: denied
    0.2696,  # one denied
    -0.2382,  # another tense
    -0.0861,  # added names
    -1.1464,  # lost names
    0.4343,  # shared names
    0.7429,  # names exchanged
    1.2219,  # same values
    -0.1349,  # other values
    0.3740,  # added values
    -0.5848,  # lost values
)
CONTRADICTS = (
    -0.3830,  # intercept
    2.2209,  # ending or change
    1.3281,  # polarity
    0.8905,  # antonym
    1.6403,  # event that ends it
    1.0045,  # now
    0.9725,  # correction
    0.7525,  # other value
    2.5908,  # one of its kind
    -0.3785,  # guard
    -3.2359,  # parallel
    -0.9322,  # much longer
    0.0000,  # exclamation
    -0.5452,  # share of new words
    -0.2505,  # share of known words
    0.6348,  # new words
    -0.3312,  # known words
    0.1451,  # shared words
    -0.4976,  # lost words
    -0.2274,  # added words
    0.7893,  # nothing shared
    -0.2270,  # one word exchanged
    0.6144,  # few words exchanged
    -0.7322,  # only added
    0.3747,  # same first word
    -0.4188,  # same last word
    1.2044,  # new: change
    1.4875,  # new: now
    -1.8484,  # new: spoken_to
    -0.9618,  # new: denied
    -0.9272,  # known: change
    3.5753,  # known: stand_in
    0.1681,  # known: limit
    -0.6740,  # known: denied
    0.5445,  # one denied
    2.9408,  # another tense
    -0.3940,  # added names
    0.9055,  # lost names
    0.3564,  # shared names
    0.5953,  # names exchanged
    -1.4602,  # same values
    1.1179,  # other values
    -0.8198,  # added values
    0.5919,  # lost values
)
THRESHOLD = -1.3027
