/** What is used of the library `yaml`; whoever reads YAML hands it over, so that it is loaded at the first use. */
interface YamlScanners {
  readonly Lexer: new () => { lex(text: string): Iterable<string> };
  readonly Parser: new () => { readonly stack: readonly unknown[]; next(lexeme: string): Iterable<unknown> };
}

interface YamlBounds {
  /** How deep lists and maps may stand in each other. Default: 50. */
  readonly maxDepth?: number;
  /** Signs, values and spaces of the text, as the library counts them. Default: 10,000. */
  readonly maxTokens?: number;
}

/**
 * Why a text that a stranger wrote must not be given to `yaml.parse`, or undefined. The library goes down by calling itself,
 * and where the stack ends in a regular expression the process ends; it compares each key with each other. This looks at the
 * text piece by piece and stops where it becomes too much.
 */
export function yamlExcess(
  yaml: YamlScanners,
  text: string,
  { maxDepth = 50, maxTokens = 10_000 }: YamlBounds = {},
): 'depth' | 'tokens' | undefined {
  const parser = new yaml.Parser();
  // below what the text holds are the document, and the value that is being read
  const maxStack = maxDepth + 2;
  let left = maxTokens;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (--left < 0) return 'tokens';
    // what comes out is of no interest: the depth is
    for (const token of parser.next(lexeme)) void token;
    if (parser.stack.length > maxStack) return 'depth';
  }
  return undefined;
}
