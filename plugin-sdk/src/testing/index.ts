export { redoMigration } from './redo-migration.js';
export {
  asActor,
  startHost,
  type TestResponse,
  type TestClient,
  type TestHost,
  type TestHostOptions,
} from './start-host.js';
export { formPost, formsWithoutToken, multipart, pageIn, submitForm, type FormFields } from './forms.js';
export { gitEnvironment } from './git.js';
export { freePort } from './ports.js';
export { halfAnswer, SilentServer } from './silent-server.js';
export { makeIssue, makeRepository, makeUser, type KitUser } from './kit.js';
export { describeAuthMethod } from './auth-method.js';
export { describePackageFormat } from './package-format.js';
export { describeWebhookKind } from './webhook-kind.js';
export { watchTexts } from './strict-texts.js';
export { catalogueProblems, unusedTexts } from './catalogues.js';
