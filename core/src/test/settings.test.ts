import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { cronSetting, durationSetting, expandReferences, Joi, parseIni } from '@mortise/plugin-sdk';
import {
  checkSettings,
  exampleIni,
  parseEnvironment,
  settingsPage,
  SettingsRegistry,
  withKey,
  type SettingsOverrides,
} from '../settings/index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const schema = Joi.object({
  NAME: Joi.string().allow('').default('plain').description('A name'),
  COUNT: Joi.number().integer().min(1).default(3).description('How many'),
  FLAG: Joi.boolean().default(false).description('On or off'),
  KIND: Joi.string().valid('one', 'two').default('one').description('Which | of them'),
  PASSWORD: Joi.string().allow('').default('').meta({ secret: true }),
});

describe('settings', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-settings-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function book(
    text: string,
    environment: Record<string, string> = {},
    overrides?: SettingsOverrides,
  ): SettingsRegistry {
    const file = join(folder, 'app.ini');
    writeFileSync(file, text);
    return new SettingsRegistry({ file, environment, overrides });
  }

  it('reads sections, comments and quotes', () => {
    const { values, problems } = parseIni(
      'NAME = top\n[a.b]\n; no\n# no\nX = 1 ; one\nY = `a # b`\nZ = a#b\nW = "q"\nV=\noops\n',
      'app.ini',
    );
    expect(values.map(({ section, key, value }) => [section, key, value])).to.equal([
      ['', 'NAME', 'top'],
      ['a.b', 'X', '1'],
      ['a.b', 'Y', 'a # b'],
      ['a.b', 'Z', 'a#b'],
      ['a.b', 'W', 'q'],
      ['a.b', 'V', ''],
    ]);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.contain('app.ini:10');
  });

  it('reads the environment, with names that shells allow', () => {
    const values = parseEnvironment({
      MORTISE__server__HTTP_PORT: '80',
      'MORTISE__repository.pull-request__X': 'a',
      MORTISE__repository_0X2E_pull_0X2D_request__Y: 'b',
      MORTISE____APP_NAME: 'Top',
      MORTISE_WORK_DIR: 'x',
    });
    expect(values.map(({ section, key, value }) => `${section}|${key}|${value}`)).to.equal([
      'server|HTTP_PORT|80',
      'repository.pull-request|X|a',
      'repository.pull-request|Y|b',
      '|APP_NAME|Top',
    ]);
  });

  it('gives typed, frozen values; the environment wins over the file, the program over both', () => {
    const one = book(
      '[test]\nCOUNT = 7\nFLAG = true\nNAME = file',
      { MORTISE__test__COUNT: '8', MORTISE__TEST__NAME: 'environment' },
      { test: { NAME: 'program' } },
    );
    const values = one.declare('plugin', 'test', schema) as {
      COUNT: number;
      FLAG: boolean;
      NAME: string;
      KIND: string;
    };
    expect(values).to.include({ COUNT: 8, FLAG: true, NAME: 'program', KIND: 'one' });
    expect(Object.isFrozen(values)).to.be.true();
    expect(one.problems).to.be.empty();
  });

  it('an empty value means the default where nothing is no value', () => {
    const values = book('[test]\nCOUNT =\nNAME =').declare('plugin', 'test', schema) as { COUNT: number; NAME: string };
    expect(values).to.include({ COUNT: 3, NAME: '' });
  });

  it('tells every wrong value with its place', () => {
    const one = book('[test]\nCOUNT = zero\nKIND = three', { MORTISE__test__FLAG: 'perhaps' });
    one.declare('plugin', 'test', schema);
    expect(one.problems).to.have.length(3);
    expect(one.problems.join('\n'))
      .to.contain('[test] COUNT is wrong')
      .and.contain('app.ini:2')
      .and.contain('MORTISE__test__FLAG');
  });

  it('O5: takes values as compatible servers write them', () => {
    const other = schema.keys({
      KIND: Joi.string()
        .valid('one', 'two')
        .default('one')
        .meta({ compatible: [{ from: /^three$/, to: 'two' }] }),
      MOST: Joi.number().integer().max(9).default(5),
      SPAN: Joi.string()
        .pattern(/^\d+h$/)
        .default('2h'),
      TIME: durationSetting('3s'),
    });
    for (const [key, written, holds, warns] of [
      ...['1', 't', 'T', 'TRUE', 'yes', 'y', 'On'].map((text) => ['FLAG', text, true, false] as const),
      ...['0', 'f', 'no', 'N', 'off', 'False'].map((text) => ['FLAG', text, false, false] as const),
      ['COUNT', '0x10', 16, false],
      ['COUNT', '1_000', 1000, false],
      ['COUNT', '0', 3, true],
      ['COUNT', '-1', 3, true],
      ['MOST', '70', 9, true],
      ['KIND', 'Two', 'two', false],
      ['KIND', 'three', 'two', true],
      ['SPAN', '168h0m0s', '168h', false],
      ['SPAN', '-1h', '2h', true],
      ['TIME', '1.5h', 5_400_000, false],
      ['TIME', '1500us', 2, false],
      ['TIME', '-1', 3000, true],
    ] as const) {
      const one = book(`[test]\n${key} = ${written}`);
      const values = one.declare('plugin', 'test', other) as unknown as Record<string, unknown>;
      expect([key, written, values[key], one.problems]).to.equal([key, written, holds, []]);
      expect(one.warnings).to.have.length(warns ? 1 : 0);
      if (warns) expect(one.warnings[0]).to.contain(`[test] ${key} = ${written}`).and.contain('app.ini:2');
    }
    const wrong = book('[test]\nFLAG = perhaps\nKIND = four\nTIME = soon');
    wrong.declare('plugin', 'test', other);
    expect(wrong.problems).to.have.length(3);
  });

  it('reads %(KEY)s as the setting of that name: in its section, those above, and above the first', () => {
    const other = schema.keys({ ADDRESS: Joi.string(), PATH: Joi.string(), LIST: Joi.string().allow('') });
    const written =
      'TOP = top\n[a]\nHOST = above\n[a.test]\nADDRESS = %(KIND)s://%(host)s:%(COUNT)s/%(TOP)s\nLIST = %(PATH)s,%(PATH)s\nPATH = %(WORK_PATH)s/x';
    const file = join(folder, 'app.ini');
    writeFileSync(file, written);
    const environment = { MORTISE__a_0X2E_test__COUNT: '%(NUMBER)s', MORTISE__a_0X2E_test__NUMBER: '7' };
    const one = new SettingsRegistry({ file, environment, workDir: '/srv/work' });
    const values = one.declare('plugin', 'a.test', other) as unknown as Record<string, unknown>;
    expect(one.problems).to.be.empty();
    expect(values).to.include({
      ADDRESS: 'one://above:7/top',
      COUNT: 7,
      PATH: '/srv/work/x',
      LIST: '/srv/work/x,/srv/work/x',
    });
    writeFileSync(join(folder, 'secret'), 'hush');
    const secret = book(`[test]\nDIR = ${folder}\nPASSWORD_URI = file:%(DIR)s/secret`);
    expect((secret.declare('plugin', 'test', schema) as { PASSWORD: string }).PASSWORD).to.equal('hush');
  });

  it('refuses references to nothing and in a circle with their place, at the start and in config check', () => {
    const other = schema.keys({ OTHER: Joi.string(), SELF: Joi.string(), LONG: Joi.string().allow('') });
    const doubled = Array.from({ length: 40 }, (_, at) => `L${at} = %(L${at + 1})s%(L${at + 1})s`).join('\n');
    const one = book(
      `[test]\nNAME = x%(GONE)s\nKIND = %(OTHER)s\nOTHER = %(KIND)s\nSELF = %(SELF)s\nPASSWORD = 100%(\nLONG = %(L0)s\n${doubled}\nL40 = long`,
    );
    const values = one.declare('plugin', 'test', other) as unknown as Record<string, unknown>;
    expect(values).to.include({ NAME: 'plain', KIND: 'one', PASSWORD: '100%(' });
    const at = (line: number): string => `${one.file}:${line}`;
    const messages = [
      [at(2), '[test] NAME', 'refers to %(GONE)s, which is not set'],
      [at(3), '[test] KIND', 'refers to %(KIND)s, which refers back to it'],
      [at(4), '[test] OTHER', 'refers to %(OTHER)s, which refers back to it'],
      [at(5), '[test] SELF', 'refers to %(SELF)s, which refers back to it'],
      [at(7), '[test] LONG', 'is longer than 65536 characters with its references'],
    ];
    expect(one.problems).to.only.include(messages.map(([from, name, text]) => `the setting ${name} (${from}) ${text}`));
    const checked = checkSettings(one).filter(({ state }) => state === 'wrong');
    expect(checked.map(({ from, name, text }) => [from, name, text])).to.equal(messages);
  });

  it('[cron] holds for the sections of all tasks that do not say it themselves', () => {
    const times = Joi.object({
      ENABLED: Joi.boolean().default(true),
      RUN_AT_START: Joi.boolean().default(false),
      SCHEDULE: cronSetting('@midnight'),
    });
    const one = book(
      '[cron]\nENABLED = no\nRUN_AT_START = true\nSCHEDULE = @every 1m\n[cron.own]\nENABLED = true\nSCHEDULE = @every 1h30m\n[cron.wrong]\nSCHEDULE = 61 * * * *',
    );
    expect(one.declare('plugin', 'cron.other', times)).to.equal({
      ENABLED: false,
      RUN_AT_START: true,
      SCHEDULE: '@midnight',
    });
    expect(one.declare('plugin', 'cron.own', times)).to.equal({
      ENABLED: true,
      RUN_AT_START: true,
      SCHEDULE: '@every 1h30m',
    });
    expect(one.problems).to.be.empty();
    expect(one.states().find(({ section, key }) => section === 'cron.other' && key === 'ENABLED')).to.include({
      source: 'file',
      value: 'false',
    });
    one.declare('plugin', 'cron.wrong', times);
    expect(one.problems).to.equal([
      `the setting [cron.wrong] SCHEDULE is wrong: must be a cron expression of five fields, @midnight and the like, or for instance @every 6h (${one.file}:9)`,
    ]);
  });

  it('a setting that is named in itself is that of the section above', () => {
    const texts: Record<string, string> = { '\0X': 'root', 'a\0X': '%(X)s/a' };
    const valueOf = (section: string, key: string) => texts[`${section}\0${key}`];
    expect(expandReferences({ section: 'a', key: 'X', value: '%(X)s/a' }, valueOf)).to.equal('root/a');
  });

  it('sets a key in a text, in its place, in its section or below', () => {
    expect(withKey('', 'a', 'X', '1')).to.equal('[a]\nX = 1\n');
    expect(withKey('Y = 1\n[A]\nx = 0\n[b]\nX = 0', 'a', 'X', '1')).to.equal('Y = 1\n[A]\nX = 1\n[b]\nX = 0\n');
    expect(withKey('[a]\n; X = 0\nZ = 2\n\n[b]\nX = 0\n', 'a', 'X', '1')).to.equal(
      '[a]\n; X = 0\nZ = 2\nX = 1\n\n[b]\nX = 0\n',
    );
    expect(withKey('Y = 1\n', 'a', 'X', '1')).to.equal('Y = 1\n\n[a]\nX = 1\n');
  });

  it('reads secrets from files', () => {
    writeFileSync(join(folder, 'secret'), 'hush\n');
    const values = book(`[test]\nPASSWORD_URI = file:${join(folder, 'secret')}`).declare('plugin', 'test', schema) as {
      PASSWORD: string;
    };
    expect(values.PASSWORD).to.equal('hush');
    const missing = book('', { MORTISE__test__PASSWORD_URI: 'file:/not/there' });
    missing.declare('plugin', 'test', schema);
    expect(missing.problems[0]).to.contain('[test] PASSWORD_URI').and.contain('cannot be read');
  });

  it('warns about unknown and deprecated keys', () => {
    const one = book('[test]\nOLD = 1\nTYPO = 2\nCOUNT = 2');
    one.declare('plugin', 'test', schema);
    one.deprecate('plugin', { section: 'test', key: 'OLD', replacement: '[test] COUNT' });
    one.checkLeftovers();
    expect(one.warnings).to.have.length(2);
    expect(one.warnings[0]).to.contain('[test] OLD').and.contain('use [test] COUNT');
    expect(one.warnings[1]).to.contain('[test] TYPO').and.contain('unknown');
  });

  it('two plugins share a section, but no key', () => {
    const one = book('');
    one.declare('first', 'shared', Joi.object({ A: Joi.string().default('') }));
    one.declare('second', 'shared', Joi.object({ B: Joi.string().default('') }));
    expect(one.problems).to.be.empty();
    one.declare('third', 'shared', Joi.object({ A: Joi.string().default('') }));
    expect(one.problems[0]).to.contain('[shared] A is declared by first and by third');
  });

  it('writes the example file and the reference', () => {
    const one = book('');
    one.declare('plugin', 'test', schema);
    expect(exampleIni(one))
      .to.contain('[test]')
      .and.contain('; How many\n;COUNT = 3')
      .and.contain('; One of: one | two');
    expect(settingsPage(one))
      .to.contain('| `COUNT` | `3` | number | How many | plugin |')
      .and.contain('Which \\| of them');
    expect(parseIni(exampleIni(one), 'example').problems).to.be.empty();
  });

  it('a named settings file must be there', () => {
    const one = new SettingsRegistry({ file: '/not/there.ini', environment: {}, fileRequired: true });
    expect(one.problems[0]).to.contain('/not/there.ini cannot be read');
  });

  it('tells what holds and where it was written, without secrets', () => {
    const settings = book(
      '[a]\nCOUNT = 5\nPASSWORD = hush\nNAME = redis://me:hush@host/0\nADDRESS = -p %(PASSWORD)s %(COUNT)s\n',
      { MORTISE__a__FLAG: 'true' },
      { a: { KIND: 'two' } },
    );
    settings.declare('one', 'a', schema.keys({ OTHER_TOKEN: Joi.string().default('hush'), ADDRESS: Joi.string() }));
    const states = Object.fromEntries(settings.states().map((one) => [one.key, one]));
    expect(states.COUNT).to.include({ value: '5', source: 'file', isSet: true, owner: 'one', section: 'a' });
    expect(states.COUNT!.from!).to.endWith('app.ini:2');
    expect(settings.stateOf('a', 'COUNT')).to.equal(states.COUNT!);
    expect(settings.stateOf('a', 'PASSWORD')).to.equal(states.PASSWORD!);
    expect(settings.stateOf('b', 'COUNT')).to.be.undefined();
    expect(states.FLAG).to.include({ value: 'true', source: 'environment', from: 'MORTISE__a__FLAG' });
    expect(states.KIND).to.include({ value: 'two', source: 'code' });
    expect(states.PASSWORD).to.include({ value: undefined, isSecret: true, isSet: true });
    expect(states.OTHER_TOKEN).to.include({ value: undefined, isSecret: true });
    expect(states.NAME!.value).to.equal('redis://me:***@host/0');
    expect(states.ADDRESS!.value).to.equal('-p %(PASSWORD)s %(COUNT)s');
    expect(JSON.stringify(settings.states().map(({ defaultText: _default, ...one }) => one))).not.to.include('hush');
  });
});
