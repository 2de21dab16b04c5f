/** Longer lines are not looked at to their end: none that a mail program writes above a quotation is. */
const maxLine = 300;

/** `On Monday, Ada wrote:`, in the languages of the site and some more. */
const attribution =
  /^(?:(?:on|am|le|el|em|il|op|den|w dniu|dnia)\b.*(?:wrote|schrieb\b.*|a écrit|escribió|escreveu|ha scritto|schreef|skrev\b.*|napisał\(?a?\)?)\s*[:：]|.*(?:написала?|пишет|のメッセージ|さんは書きました|写道|寫道)\s*[:：]?|.*<[^<>\s]+@[^<>\s]+>\s*(?:wrote|schrieb|a écrit)?\s*[:：])$/iu;

/** `-----Original Message-----` */
const separator =
  /^-{2,}\s*(?:original message|original appointment|forwarded message|reply message|ursprüngliche nachricht|weitergeleitete nachricht|message d’origine|message d'origine|message transféré|mensaje original|mensagem original|messaggio originale|исходное сообщение|元のメッセージ|原始邮件|原始郵件)\s*-{2,}$/iu;

/** What Outlook writes above a quotation: lines of the headers, of which two at least stand together. */
const header =
  /^\*?(?:from|sent|date|to|cc|subject|von|gesendet|datum|an|betreff|de|envoyé|à|objet|enviado(?: el| em)?|para|asunto|assunto|fecha|da|inviato|a|oggetto|от|отправлено|дата|кому|тема|差出人|送信日時|宛先|件名|发件人|发送时间|收件人|主题)\s?\*?[:：]\*?\s/iu;
const firstHeader = /^\*?(?:from|von|de|da|от|差出人|发件人)\s?\*?[:：]/iu;

/** What telephones add. */
const advertisement =
  /^(?:sent from my |sent from (?:outlook|mail|yahoo)|get outlook for |von meinem .{1,40} gesendet|gesendet mit |gesendet von |envoyé de(?:puis)? mon |enviado desde mi |enviado do meu |inviato da(?:l mio)? |отправлено с |iphoneから送信|发自我的)/iu;

const isQuoted = (line: string): boolean => /^\s*>/.test(line);
const isBlank = (line: string): boolean => line.trim() === '';
const start = (line: string): string => line.slice(0, maxLine).trim();

/** Two headers at least, of which the first names who wrote it. */
function isHeaderBlock(lines: readonly string[], at: number): boolean {
  if (!firstHeader.test(start(lines[at]!))) return false;
  return lines.slice(at + 1, at + 5).filter((line) => header.test(start(line))).length >= 2;
}

/** The lines of an attribution that begins here: mail programs break them. 0: there is none. */
function attributionLength(lines: readonly string[], at: number): number {
  let text = '';
  for (const length of [1, 2, 3]) {
    const line = lines[at + length - 1];
    if (line === undefined || isBlank(line) || isQuoted(line)) return 0;
    text = `${text} ${line.slice(0, maxLine)}`.trim();
    if (attribution.test(text)) return length;
  }
  return 0;
}

/** The first line of what follows the answer and is none of it. */
function endOf(lines: readonly string[]): number {
  for (let at = 0; at < lines.length; at++) {
    const line = start(lines[at]!);
    if (line === '--' || separator.test(line) || isHeaderBlock(lines, at)) return at;
    if (/^_{10,}$/.test(line) && lines.slice(at + 1, at + 3).some((_line, next) => isHeaderBlock(lines, at + 1 + next)))
      return at;
    const length = attributionLength(lines, at);
    // an answer that stands below its quotation, or within it, is one all the same
    if (
      length &&
      !lines
        .slice(at + length)
        .find((next) => !isBlank(next))
        ?.startsWith('>')
    )
      return at;
  }
  return lines.length;
}

/** Without the line above a quotation that a mail begins with, and without that where it is answered as a whole. */
function withoutLeadingQuote(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => !isBlank(line));
  const length = first < 0 ? 0 : attributionLength(lines, first);
  const quote = lines.findIndex((line, at) => at >= first + length && !isBlank(line));
  if (length === 0 || quote < 0 || !isQuoted(lines[quote]!)) return lines;
  const answer = lines.findIndex((line, at) => at > quote && !isQuoted(line) && !isBlank(line));
  if (answer < 0) return [];
  return lines.slice(lines.slice(answer).some(isQuoted) ? quote : answer);
}

/** Without the quotation that it ends with, the line above that and what telephones add. */
function withoutTrailingQuote(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  const trim = (is: (line: string) => boolean) => {
    while (end > 0 && is(lines[end - 1]!)) end--;
  };
  trim((line) => isBlank(line) || isQuoted(line));
  if (end < lines.length)
    for (const length of [1, 2, 3])
      if (end >= length && attributionLength(lines, end - length) === length) {
        end -= length;
        break;
      }
  trim((line) => isBlank(line) || advertisement.test(start(line)));
  return lines.slice(0, end);
}

/** What somebody wrote, without the mail that it answers and without their signature. Quotations within it stay. */
export function replyText(text: string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .split('\n');
  // a quotation at the beginning may hold a signature
  const answer = withoutLeadingQuote(lines);
  return withoutTrailingQuote(answer.slice(0, endOf(answer)))
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
