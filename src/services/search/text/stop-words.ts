/** Words that say nothing about what an operation does; in a query they count only where nothing else is said. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about above after again all also am an and any are as at be because been before being below between both but by " +
    "can could did do does doing down during each few for from further had has have having he her here hers him his how " +
    "i if in into is it its itself just let like ll may me might more most must my need no nor not now of off on once " +
    "only or other our out over own please re same shall she should so some such than that the their them then there these " +
    "they this those through to too under until up us ve very want was we were what when where which while who whom why " +
    "will with would you your yours d s t m im using use used via able help tell know " +
    "der die das den dem des ein eine einen einem einer und oder ist sind im ins zu zum zur von vom mit auf fur ich wie " +
    "le la les un une des et ou est pour dans el los las una y o en para con"
  ).split(" "),
);
