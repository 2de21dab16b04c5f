/** What is wrong with things of these numbers of lines: those over `max`, or over their exception, and idle exceptions. */
export function lengthFaults(lengths, exceptions, max) {
  const faults = [];
  for (const [name, lines] of Object.entries(lengths))
    if (lines > (exceptions[name] ?? max)) faults.push(`${name} has ${lines} lines, over ${exceptions[name] ?? max}`);
  for (const name of Object.keys(exceptions))
    if (!(lengths[name] > max)) faults.push(`${name} needs no exception any more`);
  return faults;
}
