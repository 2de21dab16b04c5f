/** Environment of a git client in tests: nothing of whoever runs them, and no questions. */
export const gitEnvironment = (home: string, name = 'A', email = 'a@example.com'): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});
