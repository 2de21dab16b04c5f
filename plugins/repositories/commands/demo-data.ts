interface DemoCommit {
  readonly author: string;
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
  /** On a branch of its own, from what was last on the default branch. */
  readonly branch?: string;
  readonly tag?: string;
}

export interface DemoRepository {
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly commits: readonly DemoCommit[];
}

export const demoUsers = [
  { name: 'ada', fullName: 'Ada Byron' },
  { name: 'grace', fullName: 'Grace Murray' },
  { name: 'alan', fullName: 'Alan Mathison' },
] as const;

const readme = `# Abacus

Adds numbers, and says how.

\`\`\`js
import { add } from './src/add.js';

console.log(add(1, 2)); // 3
\`\`\`

| operation | since |
|---|---|
| add | 0.1 |
| multiply | 0.2 |
`;

export const demoRepositories: readonly DemoRepository[] = [
  {
    owner: 'ada',
    name: 'abacus',
    description: 'A calculator that shows its work',
    commits: [
      {
        author: 'ada',
        message: 'Add numbers',
        files: {
          'README.md': '# Abacus\n\nAdds numbers.\n',
          'src/add.js': 'export const add = (a, b) => a + b;\n',
          LICENSE: 'Do with it what you like.\n',
        },
      },
      { author: 'ada', message: 'Say how to use it', files: { 'README.md': readme }, tag: 'v0.1' },
      {
        author: 'grace',
        message: 'Multiply\n\nBy adding again and again, so that every step can be shown.',
        files: {
          'src/multiply.js':
            "import { add } from './add.js';\n\nexport function multiply(a, b) {\n  let sum = 0;\n  for (let n = 0; n < b; n++) sum = add(sum, a);\n  return sum;\n}\n",
        },
        tag: 'v0.2',
      },
      {
        author: 'grace',
        message: 'Test what there is',
        files: {
          'test/add.test.js':
            "import { strictEqual } from 'node:assert';\nimport { add } from '../src/add.js';\n\nstrictEqual(add(1, 2), 3);\n",
        },
      },
      {
        author: 'alan',
        message: 'Divide',
        files: { 'src/divide.js': 'export const divide = (a, b) => Math.trunc(a / b);\n' },
        branch: 'divide',
      },
      {
        author: 'ada',
        message: 'Draw the beads',
        files: {
          'docs/beads.svg':
            '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><circle cx="20" cy="20" r="12"/><circle cx="60" cy="20" r="12"/><circle cx="100" cy="20" r="12"/></svg>\n',
          'docs/beads.md': '# Beads\n\n![Three beads](beads.svg)\n',
        },
      },
    ],
  },
  {
    owner: 'grace',
    name: 'moths',
    description: 'Insects found in machines',
    commits: [
      {
        author: 'grace',
        message: 'Note the first one',
        files: {
          'README.md': '# Moths\n\nSee the [log](log.csv).\n',
          'log.csv': 'when,where,what\n15:45,panel F,moth\n',
        },
      },
      {
        author: 'grace',
        message: 'Note another',
        files: { 'log.csv': 'when,where,what\n15:45,panel F,moth\n17:05,relay 70,beetle\n' },
      },
    ],
  },
  {
    owner: 'alan',
    name: 'machine',
    description: 'A tape, a head and a table',
    commits: [
      {
        author: 'alan',
        message: 'Move the head',
        files: {
          'machine.py':
            'def step(tape, head, state, table):\n    write, move, state = table[state, tape.get(head, 0)]\n    tape[head] = write\n    return head + move, state\n',
        },
      },
    ],
  },
];
