/** A piece of a line: plain text, or text that leads somewhere. */
export type ChatPart = string | { readonly text: string; readonly url: string };
export type ChatLine = readonly ChatPart[];

export interface ChatCommit {
  readonly shortId: string;
  readonly url: string;
  /** First line of its message. */
  readonly summary: string;
  readonly author: string;
}

export interface ChatField {
  readonly name: string;
  readonly value: ChatPart;
}

/** Topics of events whose message is a single line. */
type EventTopic = 'repository' | 'fork' | 'wiki' | 'package' | 'status';

/** An event as a chat message. Texts are plain: each kind escapes them for its receiver. */
export interface ChatMessage {
  readonly topic: 'push' | 'ref' | 'issue' | 'pull' | 'comment' | 'review' | 'release' | EventTopic | 'other';
  /** What happened, without who did it. */
  readonly headline: ChatLine;
  /** The headline without whom or what it names besides (` to ben`), where that differs. */
  readonly shortHeadline?: ChatLine;
  /** ` by ada`; empty where the headline names the users. */
  readonly by: ChatLine;
  /** The whole line with who did it, where that is more than headline and `by`: `ada created repository ada/tool`. */
  readonly line?: ChatLine;
  /** What it is about in short: `#1 Wet paint`; the headline where there is nothing shorter. */
  readonly subject: string;
  /** Page of the subject. */
  readonly subjectUrl: string;
  /** Page that shows what happened: a comment, a comparison, … */
  readonly url: string;
  /** What a button to that page says. */
  readonly view: string;
  /** What somebody wrote with it; empty for the most. */
  readonly body: string;
  /** The text of what it is about, whatever has happened to it. */
  readonly detail: string;
  /** Login of who wrote the subject. */
  readonly author: string;
  readonly commits: readonly ChatCommit[];
  readonly fields: readonly ChatField[];
  /** 0xRRGGBB. */
  readonly colour: number;
  readonly repository: { readonly name: string; readonly url: string };
  readonly sender: { readonly name: string; readonly url: string; readonly avatar: string };
}

export const chatColours = {
  green: 0x1ac600,
  lightGreen: 0xbfe5bf,
  yellow: 0xffd930,
  orange: 0xeb6420,
  lightOrange: 0xe68d60,
  red: 0xff3232,
  grey: 0x4f545c,
  purple: 0x7289da,
} as const;

/** What every message of a delivery starts from. */
export type MessageBase = Pick<ChatMessage, 'repository' | 'sender' | 'body' | 'detail' | 'author' | 'commits'>;
