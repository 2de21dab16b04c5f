/** First line of a message of a commit or a tag; blank lines before it are none of it, as git itself shows messages. */
export const subjectOf = (message: string): string => message.trimStart().split('\n', 1)[0]!.trimEnd();

/** What follows the first line. */
export const bodyOf = (message: string): string => {
  const text = message.trimStart();
  return text.slice(text.split('\n', 1)[0]!.length).trim();
};
