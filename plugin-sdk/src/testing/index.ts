export {
  asActor,
  startHost,
  type TestResponse,
  type TestClient,
  type TestHost,
  type TestHostOptions,
  type TestUser,
} from './start-host.js';
export { formPost, multipart, pageIn, submitForm, type FormFields, type MultipartPart } from './forms.js';
export { gitEnvironment } from './git.js';
export { freePort } from './ports.js';
export { halfAnswer, SilentServer } from './silent-server.js';
export {
  expectThat,
  makeIssue,
  makeRepository,
  makeUser,
  type KitIssue,
  type KitRepository,
  type KitUser,
  type Lab,
} from './kit.js';
export { describeAuthMethod, type AuthMethodSample } from './auth-method.js';
export { describePackageFormat, type FormatRequest, type PackageFormatSample } from './package-format.js';
export { describeWebhookKind, type ReceivedDelivery, type WebhookKindSample } from './webhook-kind.js';
export { watchTexts } from './strict-texts.js';
export { catalogueProblems, unusedTexts } from './catalogues.js';
