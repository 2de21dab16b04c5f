import { readFile } from 'node:fs/promises';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import ZSchema from 'z-schema';
import type { SourceMilestone } from '../contract/records.js';
import { parseJson, parseYaml, readYamlList, stringifyYaml } from '../dump/documents.js';
import { checkMilestones, milestonesOfDocument, milestonesToDocument } from '../dump/milestones.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const good = {
  title: 'Version 1',
  description: 'First line.\nSecond line.',
  deadline: '2026-03-01T12:00:00Z',
  created: '2026-01-01T00:00:00+02:00',
  updated: '2026-01-02T00:00:00.25Z',
  closed: null,
  state: 'open',
};
const closed = { ...good, state: 'closed', closed: '2026-02-01T00:00:00Z' };
const fields = Object.keys(good);

describe('the exchange format of milestones', () => {
  let schema: { $schema: string };
  const validator = new ZSchema({ assumeAdditional: false });
  before(async () => {
    schema = JSON.parse(await readFile(new URL('../../schemas/milestone.json', import.meta.url), 'utf8')) as never;
  });

  /** What the published schema and what this site say of a document must be the same. */
  const verdict = (document: unknown): boolean => {
    let refusal: unknown;
    try {
      checkMilestones(document);
    } catch (error) {
      refusal = error;
      expect((error as { status?: number }).status).to.equal(422);
    }
    expect(validator.validate(document, schema), JSON.stringify(document)).to.equal(refusal === undefined);
    return refusal === undefined;
  };
  const refused = (...documents: readonly unknown[]) => {
    for (const document of documents) expect(verdict(document), JSON.stringify(document)).to.be.false();
  };

  it('MIG-10, VER-13: the schema is a valid JSON Schema of draft-04', () => {
    expect(schema.$schema).to.equal('http://json-schema.org/draft-04/schema#');
    expect(validator.validateSchema(schema), JSON.stringify(validator.getLastErrors())).to.be.true();
  });

  it('MIG-03: it is a list of objects without other properties', () => {
    for (const document of [[], [good], [good, closed]]) expect(verdict(document)).to.be.true();
    refused(good, {}, null, 'text', 1, [null], ['text'], [[good]], [1]);
    refused([{ ...good, due: '2026-03-01T12:00:00Z' }], [good, { ...good, Title: 'x' }], [{ ...good, '': 1 }]);
    refused([{ ...good, constructor: 1 }]);
    const hidden = `[${JSON.stringify(good).replace('{', '{"__proto__":{},')}]`;
    expect(() => parseJson(hidden, 'milestone.json')).to.throw(/__proto__/);
    expect(() => parseYaml(hidden, 'milestone.yml')).to.throw(/^milestone\.yml cannot be read/);
  });

  it('MIG-04: each of the seven properties is required', () => {
    expect(fields).to.have.length(7);
    for (const left of fields)
      refused([Object.fromEntries(Object.entries(good).filter(([field]) => field !== left))], [{}]);
    for (const field of fields.filter((one) => one !== 'closed')) refused([{ ...good, [field]: null }]);
  });

  it('MIG-05: title and description are texts, also empty ones and of several lines', () => {
    expect(verdict([{ ...good, title: '', description: '' }])).to.be.true();
    expect(verdict([{ ...good, title: 'a\nb', description: 'x'.repeat(100_000) }])).to.be.true();
    for (const value of [1, true, [], {}, ['x']])
      refused([{ ...good, title: value }], [{ ...good, description: value }]);
  });

  const badTimes = [
    '',
    'tomorrow',
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-03-01 12:00:00',
    '2026-13-01T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-03-32T12:00:00Z',
    '2026-03-01T24:00:00Z',
    ' 2026-03-01T12:00:00Z',
    '2026-03-01T12:00:00Z\n',
    1_772_366_400,
    false,
    {},
  ];
  it('MIG-06: the deadline is a date-time', () => {
    for (const deadline of badTimes) refused([{ ...good, deadline }]);
    expect(() => checkMilestones([{ ...good, deadline: '2026-02-29T00:00:00Z' }])).to.throw(/deadline/);
    expect(verdict([{ ...good, deadline: '2028-02-29T23:59:59.123456-11:30' }])).to.be.true();
  });

  it('MIG-07: times of creation and change are date-times', () => {
    for (const time of badTimes) refused([{ ...good, created: time }], [{ ...good, updated: time }]);
  });

  it('MIG-08: `closed` is a date-time or null', () => {
    for (const time of badTimes) refused([{ ...closed, closed: time }]);
    expect(verdict([{ ...closed, closed: null }])).to.be.true();
  });

  it('MIG-09: the state is open or closed', () => {
    for (const state of ['Open', 'CLOSED', 'all', '', ' open', 'reopened', 0, true, ['open']])
      refused([{ ...good, state }]);
  });

  const milestones: readonly SourceMilestone[] = [
    {
      title: 'Open: "quoted"',
      description: '- a list\n\n  # no comment\n',
      isClosed: false,
      dueAt: Date.UTC(2026, 2, 1),
      createdAt: 1_700_000_000_000,
      updatedAt: 1_700_000_000_250,
    },
    {
      title: 'null',
      description: '',
      isClosed: true,
      createdAt: 1_700_000_000_000,
      updatedAt: 1_700_000_001_000,
      closedAt: 1_700_000_002_000,
    },
  ];

  it('MIG-02: milestones go out and come back by JSON and by YAML', () => {
    const document = milestonesToDocument(milestones);
    expect(verdict(document)).to.be.true();
    expect(document[1]!.deadline, 'none').to.equal('9999-01-01T00:00:00Z');
    expect(milestonesOfDocument(parseJson(JSON.stringify(document), 'milestone.json'))).to.equal([...milestones]);
    expect(milestonesOfDocument(parseYaml(stringifyYaml(document), 'milestone.yml'))).to.equal([...milestones]);
  });

  it('MIG-02: what does not follow the schema does not go out', () => {
    const endless = { ...milestones[0]!, dueAt: Date.UTC(12_000, 0) };
    expect(() => milestonesToDocument([endless])).to.throw(/\[0\]\.deadline/);
  });

  it('MIG-02: times of YAML without quotes are texts', () => {
    const text = Object.entries(good)
      .map(([field, value]) => `${field}: ${field === 'description' ? 'one line' : String(value)}`)
      .join('\n  ');
    expect(milestonesOfDocument(parseYaml(`- ${text}\n`, 'milestone.yml'))[0]).to.include({ title: 'Version 1' });
  });

  it('documents that repeat, nest or go on without end are refused', async () => {
    const texts = [
      '- &a [x, x]\n- *a\n',
      'title: a\ntitle: b\n',
      '[1]: a\n',
      '['.repeat(1000) + ']'.repeat(1000),
      '- '.repeat(1000),
      '- x\n'.repeat(600_000),
      '- !!js/function "x"\n',
      '- "unclosed',
      'x'.repeat(17 * 1024 * 1024),
    ];
    for (const text of texts)
      expect(() => parseYaml(text, 'milestone.yml'), text.slice(0, 40)).to.throw(/^milestone\.yml /);
    expect(() => parseJson('[{', 'milestone.json')).to.throw(/^milestone\.json cannot be read/);
  });

  it('a list of any length is read some elements at a time', async () => {
    const element = stringifyYaml([{ number: 1, content: '- no element\n\nmore\n' + 'x'.repeat(1000) }]);
    async function* lines(count: number) {
      for (let at = 0; at < count; at++) yield* element.trimEnd().split('\n');
    }
    let [all, largest] = [0, 0];
    for await (const piece of readYamlList(lines(2000), 'issue.yml')) {
      all += piece.length;
      largest = Math.max(largest, piece.length);
      expect(piece[0]).to.equal({ number: 1, content: '- no element\n\nmore\n' + 'x'.repeat(1000) });
    }
    expect(all).to.equal(2000);
    expect(largest).to.be.below(500);
  });
});
