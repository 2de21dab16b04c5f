/** What of the tree of a parser is a symbol, language by language. Loaded by the threads. */
import type { Parser, SyntaxNode } from '@lezer/common';
import type { SymbolKind } from './outline.js';
import type { SymbolLanguage } from './symbol-languages.js';

interface TextRange {
  readonly from: number;
  readonly to: number;
}

interface SymbolRule {
  readonly kind: SymbolKind | ((node: SyntaxNode) => SymbolKind);
  /** Where the name stands; undefined: this one is no symbol, though others of its type are. */
  name(node: SyntaxNode, text: string): TextRange | undefined;
  /** What stands before the name, such as the type that a method belongs to. */
  prefix?(node: SyntaxNode, text: string): string;
}

/** Rules by the name of the node. */
type SymbolRules = Readonly<Record<string, SymbolRule>>;

export interface Grammar {
  readonly parser: Parser;
  readonly rules: SymbolRules;
}

/** The first child of these types is the name. */
const named = (kind: SymbolKind, ...types: readonly string[]): SymbolRule => ({
  kind,
  name: (node) => childOf(node, types) ?? undefined,
});

function childOf(node: SyntaxNode, types: readonly string[]): SyntaxNode | null {
  for (let child = node.firstChild; child; child = child.nextSibling) if (types.includes(child.name)) return child;
  return null;
}

/** The same, where it has one of the parts: what lacks them only mentions a name that is defined elsewhere. */
const withBody = (rule: SymbolRule, ...parts: readonly string[]): SymbolRule => ({
  ...rule,
  name: (node, text) => (childOf(node, parts) ? rule.name(node, text) : undefined),
});

// ---------------------------------------------------------------- JavaScript and TypeScript

/** `const f = () => …`, `f = function …`, `{ f: () => … }`: an expression has the name that it is given to. */
function assignedName(node: SyntaxNode): TextRange | undefined {
  let before = node.prevSibling;
  while (before && ['Equals', 'TypeAnnotation', ':'].includes(before.name)) before = before.prevSibling;
  const isName = /^(?:(?:Private)?Property|Variable)Definition$|^MemberExpression$/.test(before?.name ?? '');
  return isName ? before! : undefined;
}
const assigned = (kind: SymbolKind): SymbolRule => ({ kind, name: assignedName });

const javascriptRules: SymbolRules = {
  ClassDeclaration: named('class', 'VariableDefinition'),
  FunctionDeclaration: named('function', 'VariableDefinition'),
  // a property with parameters is a method
  Property: withBody(named('function', 'PropertyDefinition'), 'ParamList'),
  MethodDeclaration: named('function', 'PropertyDefinition', 'PrivatePropertyDefinition', 'MemberExpression'),
  MethodType: named('function', 'PropertyDefinition'),
  InterfaceDeclaration: named('interface', 'TypeDefinition'),
  TypeAliasDeclaration: named('type', 'TypeDefinition'),
  EnumDeclaration: named('enum', 'TypeDefinition'),
  NamespaceDeclaration: named('module', 'VariableDefinition'),
  ArrowFunction: assigned('function'),
  FunctionExpression: assigned('function'),
  ClassExpression: assigned('class'),
};

// ---------------------------------------------------------------- C and C++

/** Declarators stand within each other: `*f(void)` is a pointer to what a function gives. */
function functionName(node: SyntaxNode): TextRange | undefined {
  let declarator: SyntaxNode | null = node;
  do
    declarator = childOf(declarator, [
      'FunctionDeclarator',
      'PointerDeclarator',
      'ReferenceDeclarator',
      'OperatorCast',
    ]);
  while (declarator && /^(?:Pointer|Reference)/.test(declarator.name));
  const parameters = declarator && childOf(declarator, ['ParameterList', 'AbstractFunctionDeclarator']);
  // in parentheses stands a variable that holds a function
  if (!parameters || childOf(declarator!, ['ParenthesizedDeclarator'])) return undefined;
  return { from: declarator!.from, to: parameters.from };
}
const cFunction: SymbolRule = { kind: 'function', name: functionName };

const macro: SymbolRule = {
  kind: 'macro',
  name(node, text) {
    const [, start = '', name] = /^(#\s*define\s+)(\w+)\(/.exec(text.slice(node.from, node.from + 300)) ?? [];
    const from = node.from + start.length;
    return name ? { from, to: from + name.length } : undefined;
  },
};

/** The name stands last, in the middle of the type of a function: `typedef int (*compare)(int)`. */
function typedefName(node: SyntaxNode, text: string): TextRange | undefined {
  const declarators = ['FunctionDeclarator', 'ParenthesizedDeclarator', 'PointerDeclarator', 'ArrayDeclarator'];
  let holder = node;
  for (let inner = childOf(node, declarators); inner; inner = childOf(inner, declarators)) holder = inner;
  const name = holder.getChildren('TypeIdentifier').at(-1);
  // `typedef struct a {…} a` defines one symbol
  const specifier = childOf(node, ['StructSpecifier', 'UnionSpecifier', 'EnumSpecifier', 'ClassSpecifier']);
  const inner = specifier && childOf(specifier, cTypeNames);
  return name && textOf(name, text) !== textOf(inner, text) ? name : undefined;
}

const cTypeNames = ['TypeIdentifier', 'ScopedTypeIdentifier', 'TemplateType'];
const cppRules: SymbolRules = {
  NamespaceDefinition: named('module', 'Identifier', 'NamespaceIdentifier', 'ScopedNamespaceIdentifier'),
  ClassSpecifier: withBody(named('class', ...cTypeNames), 'FieldDeclarationList'),
  StructSpecifier: withBody(named('struct', ...cTypeNames), 'FieldDeclarationList'),
  UnionSpecifier: withBody(named('struct', ...cTypeNames), 'FieldDeclarationList'),
  EnumSpecifier: withBody(named('enum', ...cTypeNames), 'EnumeratorList'),
  TypeDefinition: { kind: 'type', name: typedefName },
  AliasDeclaration: named('type', 'TypeIdentifier'),
  FunctionDefinition: cFunction,
  Declaration: cFunction,
  FieldDeclaration: cFunction,
  PreprocDirective: macro,
};

// ---------------------------------------------------------------- the others

/** `func (a *A) M()` is a method of `A`. */
function receiverOf(node: SyntaxNode, text: string): string {
  const [, name] = /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(textOf(childOf(node, ['Parameters']), text)) ?? [];
  return name ? `${name}.` : '';
}
const textOf = (node: SyntaxNode | null, text: string) => (node ? text.slice(node.from, node.to) : '');

const goRules: SymbolRules = {
  TypeSpec: {
    ...named('type', 'DefName'),
    kind: (node) =>
      childOf(node, ['StructType']) ? 'struct' : childOf(node, ['InterfaceType']) ? 'interface' : 'type',
  },
  FunctionDecl: named('function', 'DefName'),
  MethodDecl: { ...named('method', 'FieldName'), prefix: receiverOf },
  MethodElem: named('method', 'FieldName'),
};

const javaRules: SymbolRules = {
  ClassDeclaration: named('class', 'Definition'),
  RecordDeclaration: named('class', 'Definition'),
  InterfaceDeclaration: named('interface', 'Definition'),
  AnnotationTypeDeclaration: named('interface', 'Identifier', 'Definition'),
  EnumDeclaration: named('enum', 'Definition'),
  MethodDeclaration: named('method', 'Definition'),
  ConstructorDeclaration: named('method', 'Definition'),
};

const phpRules: SymbolRules = {
  NamespaceDefinition: named('module', 'QualifiedName', 'Name', 'NamespaceName'),
  ClassDeclaration: named('class', 'Name'),
  InterfaceDeclaration: named('interface', 'Name'),
  TraitDeclaration: named('trait', 'Name'),
  EnumDeclaration: named('enum', 'Name'),
  FunctionDefinition: named('function', 'Name'),
  MethodDeclaration: named('method', 'Name'),
};

const pythonRules: SymbolRules = {
  ClassDefinition: named('class', 'VariableName'),
  FunctionDefinition: named('function', 'VariableName'),
};

const rustRules: SymbolRules = {
  ModItem: named('module', 'BoundIdentifier'),
  StructItem: named('struct', 'TypeIdentifier'),
  UnionItem: named('struct', 'TypeIdentifier'),
  EnumItem: named('enum', 'TypeIdentifier'),
  TraitItem: named('trait', 'TypeIdentifier'),
  TypeItem: named('type', 'TypeIdentifier'),
  MacroDefinition: named('macro', 'Identifier'),
  FunctionItem: named('function', 'BoundIdentifier'),
  // all that stands before the brace: `Display for Wheel`
  ImplItem: {
    kind: 'implementation',
    name(node) {
      const body = childOf(node, ['DeclarationList']);
      const first = (childOf(node, ['TypeParamList']) ?? childOf(node, ['impl']))?.nextSibling;
      return body && first ? { from: first.from, to: body.from } : undefined;
    },
  },
};

const loaders: Readonly<Record<SymbolLanguage, () => Promise<Grammar>>> = {
  cpp: async () => ({ parser: (await import('@lezer/cpp')).parser, rules: cppRules }),
  go: async () => ({ parser: (await import('@lezer/go')).parser, rules: goRules }),
  java: async () => ({ parser: (await import('@lezer/java')).parser, rules: javaRules }),
  javascript: async () => javascript('jsx'),
  typescript: async () => javascript('ts'),
  tsx: async () => javascript('ts jsx'),
  // headings have rules of their own
  markdown: async () => ({ parser: (await import('@lezer/markdown')).parser, rules: {} }),
  php: async () => ({ parser: (await import('@lezer/php')).parser, rules: phpRules }),
  python: async () => ({ parser: (await import('@lezer/python')).parser, rules: pythonRules }),
  rust: async () => ({ parser: (await import('@lezer/rust')).parser, rules: rustRules }),
};

async function javascript(dialect: string): Promise<Grammar> {
  const { parser } = await import('@lezer/javascript');
  return { parser: parser.configure({ dialect }), rules: javascriptRules };
}

const loaded = new Map<SymbolLanguage, Promise<Grammar>>();

/** The grammar of a language, loaded at its first use. */
export function grammarOf(language: SymbolLanguage): Promise<Grammar> {
  let grammar = loaded.get(language);
  if (!grammar) loaded.set(language, (grammar = loaders[language]()));
  return grammar;
}
