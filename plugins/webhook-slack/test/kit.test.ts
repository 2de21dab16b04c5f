// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames } from '@mortise/webhooks/testing';
import { slackKind } from '../kind.js';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-slack',
  key: 'slack',
  isChat: true,
  // CHT-07: no channel of theirs is called that
  settings: { channel: 'General Talk, Birds!' },
  wrongSettings: [{ channel: '' }],
  check(received) {
    const message = JSON.parse(received.body) as { channel: string; text: string; attachments: { text: string }[] };
    expect(message.channel).to.equal('General Talk, Birds!');
    expect(message.text).to.contain('<http://localhost:3000/ada/engine|ada/engine>').and.contain('1 new commit');
    expect(message.attachments[0]!.text).to.contain('Add the first note - Ada');
  },
});

describe('settings of a Slack hook', () => {
  it('CHT-07: any text names the channel, and none is refused', () => {
    for (const channel of ['General Talk, Birds!', '@ada', 'C024BE91L', '#élan', '<!here>'])
      expect(slackKind.schema!.validate({ channel }).error, channel).to.be.undefined();
    for (const settings of [{}, { channel: '' }]) expect(slackKind.schema!.validate(settings).error).to.exist();
  });
});

describeHostileNames(lab, slackKind, () => 'slack', [{ channel: 'town' }]);
