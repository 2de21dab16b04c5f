// Database: SQLite alone. Messages are made of payloads.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { chatMessage, chatStyles, fullLine, writeAddress, writeLine } from '../api.js';
import { chatColours } from '../services/chat/types.js';
import type { HookDelivery } from '../contract/webhooks.js';

export const lab = Lab.script();
const { describe, it } = lab;

const home = 'https://forge.example/guild/tool';
const ada = { login: 'ada', html_url: 'https://forge.example/ada' };
const repository = { full_name: 'guild/tool', html_url: home };

function messageOf(eventType: string, payload: object) {
  const all = { repository, sender: ada, ...payload };
  const message = chatMessage({ eventType, payload: all } as unknown as HookDelivery)!;
  return { ...message, shown: writeLine(fullLine(message), chatStyles.markdown) };
}

describe('messages to chats', () => {
  it('C9: lead with who did it, link what is named and have the colours of repositories', () => {
    const who = '[ada](https://forge.example/ada)';
    const where = `[guild/tool](${home})`;
    const { green, yellow, red } = chatColours;
    const release = { tag_name: 'v1', html_url: `${home}/releases/tag/v1` };
    const packaged = { name: 'kit', version: '1.0', html_url: 'https://forge.example/guild/-/packages/npm/kit/1.0' };
    const status = { sha: 'abcdef1234567890', context: 'ci/test', description: '3 failed', target_url: `${home}/ci` };
    const forkee = { full_name: 'ben/tool', html_url: 'https://forge.example/ben/tool' };
    const cases: readonly [event: string, payload: object, shown: string, colour: number][] = [
      ['repository', { action: 'created' }, `${who} created repository ${where}`, green],
      ['repository', { action: 'deleted' }, `${who} deleted repository guild/tool`, red],
      [
        'wiki',
        { action: 'created', page: 'A b' },
        `${who} created wiki page [A b](${home}/wiki/A%20b) in ${where}`,
        green,
      ],
      [
        'wiki',
        { action: 'edited', page: 'A', comment: 'typo' },
        `${who} edited wiki page [A](${home}/wiki/A) in ${where} (typo)`,
        yellow,
      ],
      [
        'package',
        { action: 'created', repository: null, package: packaged },
        `${who} created package [kit:1.0](${packaged.html_url})`,
        green,
      ],
      [
        'package',
        { action: 'deleted', repository: null, package: packaged },
        `${who} deleted package [kit:1.0](${packaged.html_url})`,
        red,
      ],
      [
        'status',
        { ...status, state: 'failure' },
        `${who} set commit status [ci/test \\[abcdef1234\\]](${home}/ci) to failure in ${where} - 3 failed`,
        red,
      ],
      ['fork', { forkee }, `${who} forked [ben/tool](https://forge.example/ben/tool) to ${where}`, green],
      [
        'release',
        { action: 'published', release },
        `[${where}] Release published: [v1](${release.html_url}) by ${who}`,
        green,
      ],
    ];
    for (const [event, payload, shown, colour] of cases) {
      const message = messageOf(event, payload);
      expect([event, message.shown, message.colour]).to.equal([event, shown, colour]);
    }
  });

  it('U4: encode addresses once, whatever they hold already', () => {
    expect(writeAddress('https://a.example/b%231/ü (x)|<y>"%zz?q=1&r=[2]#e')).to.equal(
      'https://a.example/b%231/%C3%BC%20%28x%29%7C%3Cy%3E%22%25zz?q=1&r=[2]#e',
    );
    const { shown } = messageOf('push', {
      ref: 'refs/heads/feat/a#1',
      commits: [{ id: 'a', message: 'm', url: home }],
    });
    expect(shown).to.include(`[feat/a#1](${home}/src/branch/feat/a%231)`);
    // a page `A & B #1` of a wiki, whose name in payloads is that of its address
    const wiki = messageOf('wiki', { action: 'created', page: 'A-%26-B-%231' });
    expect(wiki.url).to.equal(`${home}/wiki/A-%26-B-%231`);
    expect(wiki.shown).to.include(`](${home}/wiki/A-%26-B-%231)`);
  });

  it('U4: link no address but those of the web', () => {
    expect(writeLine([{ text: 'x', url: 'javascript:alert(1)' }], chatStyles.markdown)).to.equal('x');
  });
});
