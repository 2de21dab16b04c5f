/** A date-time of RFC 3339, as everywhere in the interface: a day alone is none. */
export const wholeTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
