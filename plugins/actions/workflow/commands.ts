/** A workflow command: `::name key=value,key=value::text`. */
export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly value: string;
}

/** The command of a line, if it is one. */
export function parseCommand(line: string): WorkflowCommand | undefined {
  const start = line.indexOf('::');
  if (start < 0 || line.slice(0, start).trim() !== '') return undefined;
  const match = /^::([a-z][a-z-]{0,30})(?: ([^\n]{0,10000}?))?::([\s\S]*)$/i.exec(line.slice(start));
  if (!match) return undefined;
  const [, name = '', properties = '', value = ''] = match;
  return {
    name: name.toLowerCase(),
    properties: Object.fromEntries(
      properties
        .split(',')
        .map((pair) => pair.trim().split('='))
        .filter(([key]) => key)
        .map(([key, ...rest]) => [key!.toLowerCase(), decode(rest.join('='), true)]),
    ),
    value: decode(value, false),
  };
}

const codes: Readonly<Record<string, string>> = { '%25': '%', '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',' };

const decode = (text: string, isProperty: boolean): string =>
  text.replace(isProperty ? /%25|%0D|%0A|%3A|%2C/gi : /%25|%0D|%0A/gi, (code) => codes[code.toUpperCase()]!);
