"""Made-up statements and questions of everyday life, for measuring without any data file.

Names are drawn with weights 1, 1/2, 1/3, …, since a few people come up all the time; numbers and codes make the long
tail of rare words.
"""

import random
from collections.abc import Sequence

NAMES = (
    "Amara Bruno Celeste Dmitri Elif Farouk Greta Hana Ines Jonas Katya Leonor Mateo Nadia Oskar Paloma Quentin Rosa "
    "Sanjay Tilda Umberto Vera Wim Xenia Yusuf Zora Anders Bianca Cormac Dalia"
).split()
PLACES = (
    "Antwerp Bergen Coimbra Dresden Evora Fez Galway Hobart Izmir Jaipur Kyoto Lima Malmo Nantes Ottawa Porto Quito "
    "Riga Seville Tartu Utrecht Verona Windhoek Yerevan Zagreb Aarhus Bilbao Cusco Delft Esbjerg"
).split()
THINGS = (
    "accordion,bicycle,camera,drill,easel,flute,greenhouse,hammock,iron kettle,jigsaw puzzle,kayak,lantern,microscope,"
    "notebook,oboe,printer,quilt,record player,sewing machine,telescope,umbrella,violin,wheelbarrow,xylophone,yoga mat,"
    "espresso machine,tent,rucksack,soldering iron,aquarium,bookcase,chess set,dehumidifier,wool coat,garden hose,"
    "lawnmower,cello,pottery wheel,weather station,rowing boat"
).split(",")
ACTIVITIES = (
    "baking bread,climbing,carving spoons,keeping bees,fencing,gardening,hiking,ice skating,juggling,knitting,"
    "learning Greek,mending bicycles,night photography,orienteering,painting,playing chess,restoring furniture,rowing,"
    "singing in the choir,swimming,translating poems,volunteering at the shelter,weaving,writing letters,yoga"
).split(",")
FOODS = (
    "almond cake,beetroot soup,chestnuts,dumplings,elderflower cordial,fig jam,goat cheese,hazelnuts,kimchi,lentils,"
    "mushroom risotto,olives,pickled herring,quince jelly,rye bread,saffron rice,smoked trout,tofu curry,walnut pesto"
).split(",")
TRADES = (
    "accountant,architect,baker,carpenter,dentist,electrician,florist,geologist,interpreter,joiner,lawyer,midwife,"
    "notary,optician,plumber,roofer,surgeon,tailor,upholsterer,vet"
).split(",")
QUALITIES = "blue,borrowed,broken,cheap,green,heavy,new,old,red,secondhand,small,spare,sturdy,waterproof,yellow".split(
    ","
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()

STATEMENTS = (
    "{name} keeps the {quality} {thing} in the cellar of the house in {place}.",
    "{name} is allergic to {food} and always carries tablets since the trip to {place}.",
    "The {trade} comes on {day} at {hour} to look at the {thing}.",
    "{name} has been {activity} with {friend} every {day} since {month}.",
    "{name} prefers {food} to {other_food} after {activity}.",
    "Invoice {code} for the {thing} was paid in {month}, {number} euros in all.",
    "{name} moved from {place} to {other_place} in {month} and works there as a {trade}.",
    "{friend} lent {name} a {quality} {thing}; it has to go back before {month}.",
    "The train to {place} leaves at {hour} from platform {number}, and {name} has the tickets.",
    "{name} wants to give up {activity}, because the knee has hurt since {month}.",
    "For the birthday on {number} {month}, {name} would like a {thing}, not {food}.",
    "{name} said that the landlord in {place} raised the rent by {number} euros.",
    "The order {code} with the {quality} {thing} is stuck at the customs in {place}.",
    "{name} and {friend} argued about {activity} on the way to {place}.",
    "Please remind {name} every {day} at {hour} to water the plants and to call the {trade}.",
    "{name} sold the {thing} to a {trade} from {place} for {number} euros.",
    "Every {month} {name} visits {friend} in {place} and brings {food}.",
    "The password hint for the {thing} is the street where {name} lived in {place}.",
    "{name} no longer eats {food}, on the advice of a {trade} in {place}.",
    "The course in {activity} starts on {day}, {number} {month}, and {friend} goes too.",
    "{name} broke the {quality} {thing} while {activity}, and nobody in {place} can repair it.",
    "{friend} recommended a {trade} in {place} who also knows about {activity}.",
    "The meeting with the {trade} was moved from {day} to the {number}th of {month}.",
    "{name} dreams of a year in {place}, {activity} and living on {food}.",
    "{name} found the {thing} of {friend} under the stairs, next to {number} jars of {food}.",
)
QUESTIONS = (
    "Where does {name} keep the {thing}?",
    "Since when has {name} been allergic to {food}?",
    "When does the {trade} come about the {thing}?",
    "How long has {name} been {activity}?",
    "Does {name} like {food} or rather {other_food}?",
    "How much did the {thing} of invoice {code} cost?",
    "Why did {name} leave {place}?",
    "Who lent {name} the {quality} {thing}?",
    "When does the train to {place} leave on {day}?",
    "What would {name} like for the birthday in {month}?",
    "Which {trade} in {place} did {friend} recommend?",
    "What happened to {name} while {activity} in {month}?",
    "Who bought the {thing} from {name}?",
    "What do {name} and {friend} eat when they meet in {place}?",
    "On which day does the course in {activity} start?",
    "{name} {place} {month} {food}",
    "Is the order {code} still at the customs in {place}?",
    "What should I know before I visit {name} and {friend} on {day}?",
)


class Sentences:
    """An endless supply, none of them twice, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._weights = [1 / rank for rank in range(1, len(NAMES) + 1)]
        self._given: set[str] = set()

    def statement(self, topic: int) -> str:
        """A statement; equal topics share their sentence's form."""
        return self._new([STATEMENTS[topic % len(STATEMENTS)]])

    def question(self) -> str:
        """A question that uses the words of the statements."""
        return self._new(QUESTIONS)

    def _new(self, forms: Sequence[str]) -> str:
        while True:
            sentence = self._any(forms).format_map(self._words())
            if sentence not in self._given:
                self._given.add(sentence)
                return sentence

    def _words(self) -> dict[str, str | int]:
        place, other_place = self._random.sample(PLACES, 2)
        food, other_food = self._random.sample(FOODS, 2)
        name, friend = self._random.choices(NAMES, self._weights, k=2)
        return {
            "name": name,
            "friend": friend,
            "place": place,
            "other_place": other_place,
            "food": food,
            "other_food": other_food,
            "thing": self._any(THINGS),
            "activity": self._any(ACTIVITIES),
            "trade": self._any(TRADES),
            "quality": self._any(QUALITIES),
            "day": self._any(DAYS),
            "month": self._any(MONTHS),
            "hour": f"{self._random.randrange(6, 22)}:{self._random.randrange(0, 60, 5):02}",
            "number": self._random.randrange(2, 999),
            "code": f"{self._any('ABCDEFGH')}{self._random.randrange(10**4, 10**5)}",
        }

    def _any(self, choices: Sequence[str]) -> str:
        return self._random.choice(choices)
