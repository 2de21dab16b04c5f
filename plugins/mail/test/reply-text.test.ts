// Database: none
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { isAutomatic, type MailHeaders } from '../services/automatic-mail.js';
import { htmlText } from '../services/html-text.js';
import { parseMail } from '../services/parse-mail.js';
import { replyText } from '../services/reply-text.js';

export const lab = Lab.script();
const { describe, it } = lab;

const kept = 'I saw it, too.\n\nOn Linux only.';

describe('issue 29: the text of an answer by mail', () => {
  for (const [who, mail] of [
    ['nothing else', kept],
    [
      'Thunderbird',
      `${kept}\n\nOn 30/11/2026 07:00, Ada Lovelace wrote:\n> ada commented:\n>\n> It flickers.\n> -- \n> Sent by Forge\n`,
    ],
    [
      'Gmail',
      `${kept}\n\nOn Mon, Nov 30, 2026 at 7:00 AM Ada Lovelace <\nforge@example.com> wrote:\n\n> It flickers.\n`,
    ],
    [
      'Gmail in German',
      `${kept}\n\nAm Mo., 30. Nov. 2026 um 07:00 Uhr schrieb Ada <forge@example.com>:\n\n> Es flackert.\n`,
    ],
    [
      'Gmail in French',
      `${kept}\n\nLe lun. 30 nov. 2026 à 07:00, Ada <forge@example.com> a écrit :\n\n> Ça clignote.\n`,
    ],
    ['Gmail in Chinese', `${kept}\n\nAda <forge@example.com> 于2026年11月30日周一 07:00写道：\n\n> 它闪烁。\n`],
    ['Apple Mail', `${kept}\n\n> On 30 Nov 2026, at 07:00, Ada <forge@example.com> wrote:\n> \n> It flickers.\n`],
    [
      'Outlook',
      `${kept}\r\n\r\n________________________________\r\nFrom: Ada <forge@example.com>\r\nSent: Monday, November 30, 2026 7:00 AM\r\nTo: Ben <ben@example.com>\r\nSubject: Re: lamp\r\n\r\nIt flickers.\r\n`,
    ],
    [
      'Outlook in German',
      `${kept}\n\nVon: Ada <forge@example.com>\nGesendet: Montag, 30. November 2026 07:00\nAn: Ben\nBetreff: AW: Lampe\n\nEs flackert.\n`,
    ],
    ['an older Outlook', `${kept}\n\n-----Original Message-----\nFrom: Ada\nIt flickers.\n`],
    ['an attribution without marks', `${kept}\n\nOn Monday, Ada Lovelace <forge@example.com> wrote:\n\nIt flickers.\n`],
    ['a signature', `${kept}\n\n-- \nBen\n+49 30 123456\n`],
    ['a telephone', `${kept}\n\nSent from my iPhone\n\nOn 30 Nov 2026, Ada wrote:\n\n> It flickers.\n`],
    ['a quotation and nothing below', `${kept}\n\n> It flickers.\n`],
    ['an answer below the quotation', `On Monday, Ada wrote:\n> It flickers.\n> -- \n> Ada\n\n${kept}\n\n-- \nBen`],
  ] as const)
    it(`leaves out what ${who} adds`, () => void expect(replyText(mail)).to.equal(kept));

  it('keeps quotations that are answered, lists, and what only looks like a header', () => {
    const text = '> Which version?\n\n1.2\n\n> And where?\n\nFrom: the shop\n\n- one\n- two: 3\n\nOn it.';
    expect(replyText(`${text}\n\nOn Monday, Ada wrote:\n> It flickers.\n`)).to.equal(text);
  });

  it('is empty where nothing was written', () => {
    expect(replyText('On Monday, Ada wrote:\n> It flickers.\n')).to.equal('');
    expect(replyText('-- \nBen\n')).to.equal('');
  });

  it('is found in time in what somebody made to take long', () => {
    const began = performance.now();
    for (const text of [
      '> '.repeat(300_000),
      'On '.repeat(300_000),
      'On a\n'.repeat(200_000),
      `From: ${'x\n'.repeat(300_000)}`,
    ])
      replyText(text);
    expect(performance.now() - began).to.be.below(10_000);
  });

  it('is made of HTML where there is nothing else', () => {
    const html =
      '<html><head><style>p{}</style></head><body><p>Look <b>here</b>: <a href="https://example.com/x">this</a></p><ul><li>one</li><li>two</li></ul>last&nbsp;line<br>end' +
      '<div class="gmail_quote">On Monday<blockquote>It flickers.</blockquote></div><div id="x">mine</div></body></html>';
    expect(replyText(htmlText(html))).to.equal(
      'Look here: [this](https://example.com/x)\n\n- one\n- two\n\nlast line\nend\nmine',
    );
    expect(
      htmlText('<p>yes</p><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: Ada</div><p>It</p>'),
    ).to.equal('yes');
    expect(htmlText('<a href="javascript:alert(1)">x</a><blockquote type="cite">old</blockquote>')).to.equal('x');
  });

  it('is read with its files', async () => {
    const source = [
      'From: Ben <ben@example.com>',
      'To: incoming+abc@example.com',
      'Message-ID: <1@example.com>',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=c',
      '',
      '--c',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Sch=F6n',
      '--c',
      'Content-Type: text/html',
      '',
      '<b>Other</b>',
      '--c--',
      '--b',
      'Content-Type: text/plain; name=log.txt',
      'Content-Disposition: attachment; filename=log.txt',
      '',
      'a line',
      '--b',
      'Content-Type: application/pgp-signature; name=signature.asc',
      '',
      'x',
      '--b--',
      '',
    ].join('\r\n');
    const mail = await parseMail({ source: Buffer.from(source) });
    expect([mail.text, mail.from, mail.messageId]).to.equal(['Schön', 'ben@example.com', '<1@example.com>']);
    expect(mail.attachments.map(({ name, content }) => [name, Buffer.from(content).toString().trim()])).to.equal([
      ['log.txt', 'a line'],
    ]);
    const html = await parseMail({
      source: Buffer.from('Content-Type: text/html\r\n\r\n<p>one</p><blockquote type=cite>two</blockquote>'),
    });
    expect(html.text).to.equal('one');
  });

  it('of a program is known by its headers', () => {
    const automatic: MailHeaders[] = [
      { 'auto-submitted': 'auto-replied' },
      { precedence: 'bulk' },
      { precedence: 'auto_reply' },
      { 'x-autoreply': 'yes' },
      { 'return-path': '<>' },
      { 'content-type': 'multipart/report; report-type=delivery-status' },
    ];
    for (const headers of automatic) expect(isAutomatic(headers), JSON.stringify(headers)).to.be.true();
    expect(isAutomatic({ 'auto-submitted': 'no', 'return-path': '<ben@example.com>' })).to.be.false();
  });
});
