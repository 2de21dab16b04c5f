import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import {
  evaluate,
  evaluateCondition,
  interpolate,
  interpolateValue,
  statusFunctions,
  WorkflowError,
} from '../../workflow/index.js';
import { contexts, linesOf } from './tables.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const all = {
  contexts,
  status: { success: true, failure: false, cancelled: false },
  hashFiles: (patterns: readonly string[]) => `hash(${patterns.join(',')})`,
};

function check(line: string, work: (text: string) => unknown): void {
  const at = line.lastIndexOf(' => ');
  const [text, wanted] = [line.slice(0, at), line.slice(at + 4)];
  if (wanted.startsWith('!')) {
    const error = expect(() => work(text), line).to.throw(WorkflowError);
    expect(error.message, line).to.contain(wanted.slice(1));
  } else expect(JSON.stringify(work(text)), line).to.equal(JSON.stringify(JSON.parse(wanted)));
}

describe('Expressions of workflows', () => {
  it('give what the table says', () => {
    const lines = linesOf('expressions.txt');
    expect(lines.length).to.be.above(400);
    for (const line of lines) check(line, (text) => evaluate(text, all));
  });

  it('are put into texts', () => {
    for (const line of linesOf('texts.txt')) check(line, (text) => interpolate(text, all));
  });

  it('keep their kind where a text is nothing but one', () => {
    const value = interpolateValue({ a: '${{ 1 }}', b: ['x${{ 1 }}', '${{ fromJSON(\'{"c":[true]}\') }}'], d: 5 }, all);
    expect(value as unknown).to.equal({ a: 1, b: ['x1', { c: [true] }], d: 5 });
  });

  it('decide conditions, which mean success() && … unless they ask', () => {
    const states = {
      s: { success: true, failure: false, cancelled: false },
      f: { success: false, failure: true, cancelled: false },
      c: { success: false, failure: false, cancelled: true },
    };
    for (const line of linesOf('conditions.txt')) {
      const at = line.lastIndexOf('=>');
      const yes = Object.entries(states).filter(([, status]) =>
        evaluateCondition(line.slice(0, at), { contexts, status }),
      );
      expect(yes.map(([letter]) => letter).join(''), line).to.equal(line.slice(at + 2).trim());
    }
    for (const none of [undefined, '', '  '])
      expect(Object.values(states).map((status) => evaluateCondition(none, { contexts, status }))).to.equal([
        true,
        false,
        false,
      ]);
  });

  it('tell which status functions a condition calls', () => {
    expect([...statusFunctions("always() && !Cancelled() && 'failure()'")].sort()).to.equal(['always', 'cancelled']);
    expect([...statusFunctions('x ${{ failure() }}')]).to.equal(['failure']);
    expect([...statusFunctions(undefined), ...statusFunctions('broken(')]).to.equal([]);
  });

  it('refuse functions where they mean nothing', () => {
    expect(() => evaluate('success()', { contexts })).to.throw(WorkflowError, /works in "if" only/);
    expect(() => evaluate("hashFiles('a')", { contexts })).to.throw(WorkflowError, /works in steps only/);
    expect(evaluate('always()', { contexts }) as unknown).to.be.true();
  });
});

describe('Bombs in expressions', () => {
  const refused = (text: string, wanted: RegExp) => expect(() => evaluate(text, all)).to.throw(WorkflowError, wanted);

  it('are refused by length and depth', () => {
    refused(`'${'x'.repeat(21_000)}'`, /longer than/);
    refused('('.repeat(5000) + '1' + ')'.repeat(5000), /nested deeper/);
    refused('!'.repeat(5000) + '1', /nested deeper/);
    refused(`github${'.a'.repeat(5000)}`, /too many parts/);
    refused(Array.from({ length: 5000 }, () => '1').join('=='), /too many comparisons/);
    refused('github['.repeat(2000), /nested deeper/);
    expect(evaluate(Array.from({ length: 3000 }, () => '1').join('&&'), all) as unknown).to.equal(1);
  });

  it('are refused by what they make', () => {
    const big = `format('${'{0}'.repeat(6000)}', '${'x'.repeat(900)}')`;
    refused(big, /too long/);
    let nested = `'${'x'.repeat(100)}'`;
    for (let i = 0; i < 12; i++) nested = `format('{0}{0}{0}{0}{0}{0}{0}{0}', ${nested})`;
    refused(nested, /too long|too many steps/);
    const text = interpolateBomb();
    expect(() => interpolate(text, { contexts: { vars: { A: 'x'.repeat(60_000) } } })).to.throw(
      WorkflowError,
      /too long/,
    );
  });

  it('are refused by the steps they take', () => {
    const list = JSON.stringify(Array.from({ length: 2000 }, (_, i) => i));
    const vars = { L: list };
    const once = 'contains(fromJSON(vars.L), 1)';
    expect(evaluate(once, { contexts: { vars } }) as unknown).to.be.true();
    refusedWith({ vars }, Array.from({ length: 100 }, () => once).join(' && '), /too many steps/);
    refusedWith({ vars: { D: '['.repeat(50_000) + ']'.repeat(50_000) } }, 'toJSON(fromJSON(vars.D))', /nested deeper/);
    const wide = JSON.stringify({ a: Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 1)) });
    refusedWith({ vars: { W: wide } }, 'fromJSON(vars.W).*.*.*', /too many steps/);
  });

  const interpolateBomb = () => '${{ vars.A }}'.repeat(100);
  const refusedWith = (given: object, text: string, wanted: RegExp) =>
    expect(() => evaluate(text, { contexts: given })).to.throw(WorkflowError, wanted);
});
