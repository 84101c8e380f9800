"""Word lists of the token rules: English function words, and irregular forms that the stemmer does not join."""

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't could couldn't d did didn't do does doesn't doing don't done down during each
    few for from further had hadn't has hasn't have haven't having he he's her here hers herself him himself his
    how i i'd i'll i'm i've if in into is isn't it it's its itself just let's ll m me might mine more most must
    my myself no nor not of off on once only onto or other our ours ourselves out over own re s same shall she
    she's should shouldn't so some such t than that that's the their theirs them themselves then there there's
    these they they're they've this those through to too under until up us ve very was wasn't we we're we've
    were weren't what what's when where which while who whom whose why will with won't would wouldn't you you'd
    you'll you're you've your yours yourself yourselves
    """.split()
)
"""Function words, question words and auxiliaries. "may" is left in, for the month."""

_FORMS = """
    become: became
    begin: began begun
    bend: bent
    bite: bitten
    blow: blew blown
    break: broke broken
    bring: brought
    build: built
    burn: burnt
    buy: bought
    catch: caught
    child: children
    choose: chose chosen
    come: came
    deal: dealt
    dig: dug
    draw: drew drawn
    dream: dreamt
    drink: drank drunk
    drive: drove driven
    eat: ate eaten
    fall: fell fallen
    feed: fed
    feel: felt
    fight: fought
    find: found
    flee: fled
    fly: flew flown
    foot: feet
    forget: forgot forgotten
    forgive: forgave forgiven
    freeze: froze frozen
    get: got gotten
    give: gave given
    go: went gone
    goose: geese
    grow: grew grown
    half: halves
    hang: hung
    hear: heard
    hide: hid hidden
    hold: held
    keep: kept
    kneel: knelt
    knife: knives
    know: knew known
    lay: laid
    lead: led
    learn: learnt
    leave: left
    lend: lent
    light: lit
    lose: lost
    make: made
    man: men
    mean: meant
    meet: met
    mouse: mice
    overcome: overcame
    pay: paid
    ride: rode ridden
    ring: rang rung
    rise: rose risen
    run: ran
    say: said
    see: saw seen
    seek: sought
    sell: sold
    send: sent
    shake: shook shaken
    shelf: shelves
    shine: shone
    shoot: shot
    show: shown
    shrink: shrank shrunk
    sing: sang sung
    sink: sank sunk
    sit: sat
    sleep: slept
    slide: slid
    speak: spoke spoken
    spend: spent
    spin: spun
    stand: stood
    steal: stole stolen
    stick: stuck
    strike: struck
    swear: swore sworn
    sweep: swept
    swim: swam swum
    swing: swung
    take: took taken
    teach: taught
    tear: tore torn
    tell: told
    think: thought
    throw: threw thrown
    tooth: teeth
    undergo: underwent undergone
    understand: understood
    wake: woke woken
    wear: wore worn
    weave: wove woven
    weep: wept
    wife: wives
    win: won
    withdraw: withdrew withdrawn
    wolf: wolves
    woman: women
    write: wrote written
"""

IRREGULAR = {
    form: base
    for base, forms in (line.split(":") for line in _FORMS.strip().splitlines())
    for form in forms.split()
    for base in [base.strip()]
}
"""Irregular form to base form, before stemming: with it "went" finds "go".

Forms that are mostly another word are left out: "lives" in a town, "a bit", "best" friend, "people".
"""
