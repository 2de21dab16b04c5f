import {
  type PluginHost,
  cache,
  database,
  events,
  defineService,
  jobs,
  locks,
  site,
  accountMenu,
  frontPageSteps,
  userMenu,
} from '@mortise/plugin-sdk';
import {
  accountCodes,
  accountMail,
  accounts,
  emails,
  loginSourceKinds,
  loginSources,
  ownerConfirmations,
  settingsMenu,
  settingsPage,
} from '@mortise/accounts/api';
import {
  captchas,
  formCaptcha,
  ownerConfirmation,
  registrations,
  sessions,
  signInActions,
  signInFlow,
  signInLinks,
  signInSteps,
  signOutSteps,
  type Session,
} from './contract/sessions.js';
import { firstAccountStep } from './pages/first-account.js';
import { userMenuSlot } from './pages/slots.js';
import { activationPages } from './pages/activation.js';
import { newPasswordPages } from './pages/new-password.js';
import { recoveryPages } from './pages/recovery.js';
import { registerPages } from './pages/register.js';
import { sessionSettingsPages } from './pages/sessions.js';
import { signInPages } from './pages/sign-in.js';
import { Activation } from './services/activation.js';
import { CaptchaOfForms } from './services/captcha.js';
import { SignInFlowService } from './services/sign-in-flow.js';
import { Owners } from './services/owner-confirmation.js';
import { Recovery, sendRecovery } from './services/recovery.js';
import { Registration } from './services/registration.js';
import { SessionService } from './services/sessions.js';
import { captchaSettings, registrationSettings, rememberSettings, sessionSettings } from './settings.js';
import { t } from './texts/index.js';

export const registration = defineService<Registration>('sessions.registration');
export const activation = defineService<Activation>('sessions.activation');
export const recovery = defineService<Recovery>('sessions.recovery');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const registering = host.settings('service', registrationSettings);
  const rules = host.settings('session', sessionSettings);
  return { registering, rules };
}

type Opened = ReturnType<typeof openSettings>;

export function registerSessions(host: PluginHost, { registering, rules }: Opened): void {
  const captcha = host.settings('service', captchaSettings);
  const remember = host.settings('security', rememberSettings);
  host.service(
    sessions,
    { accounts, cache, database, events },
    (services) =>
      new SessionService(
        services.database,
        services.accounts,
        services.cache.query<Session | undefined>('sessions.sessions'),
        {
          cookie: rules.COOKIE_NAME,
          lifeTime: rules.SESSION_LIFE_TIME * 1000,
          rememberTime: remember.LOGIN_REMEMBER_DAYS * 86_400_000,
        },
        services.events,
        host.log,
      ),
  );
  host.service(
    registration,
    { accounts, activation, locks },
    (services) => new Registration(services.accounts, services.locks, registering, services.activation),
  );
  const sourceKinds = host.point(loginSourceKinds);
  host.service(
    ownerConfirmation,
    { accounts, loginSources, sessions },
    (services) => new Owners(services, sourceKinds),
  );
  host.contribute(ownerConfirmations, { owners: ownerConfirmation }, ({ owners }) => ({
    key: 'sessions',
    hasPassword: (...given) => owners.hasPassword(...given),
    check: (...given) => owners.check(...given),
  }));
  const captchaList = host.point(captchas);
  host.service(formCaptcha, {}, () => new CaptchaOfForms(captchaList, captcha));
  host.service(registrations, { registration }, (services) => services.registration);
  const mailing = { database, accounts, emails, accountMail, accountCodes, site };
  host.service(activation, mailing, (services) => new Activation(services, registering.REGISTER_EMAIL_CONFIRM));
  host.service(
    recovery,
    { ...mailing, jobs, locks },
    (services) =>
      new Recovery(services, {
        hasForm: registering.ENABLE_PASSWORD_SIGNIN_FORM,
        minutes: registering.RESET_PASSWD_CODE_LIVE_MINUTES,
      }),
  );
  host.doctor('confirmation', { accountMail }, async function* (services) {
    if (registering.REGISTER_EMAIL_CONFIRM && !services.accountMail.isEnabled)
      yield {
        level: 'warning',
        text: '[service] REGISTER_EMAIL_CONFIRM is on but mail is off: an administrator has to activate new accounts',
      };
  });
  host.job(sendRecovery, { attempts: 3 }, { recovery }, ({ email, language }, services) =>
    services.recovery.send(email, language),
  );
}

export function registerSessionPages(host: PluginHost, { registering }: Opened): void {
  const steps = host.point(signInSteps);
  const actions = host.point(signInActions);
  const outSteps = host.point(signOutSteps);
  const links = host.point(signInLinks);
  const canRegister =
    !registering.DISABLE_REGISTRATION &&
    !registering.ALLOW_ONLY_EXTERNAL_REGISTRATION &&
    registering.SHOW_REGISTRATION_BUTTON;
  const accountEntries = host.point(accountMenu);
  host.contribute(frontPageSteps, { accounts, registration, site }, firstAccountStep);
  host.contribute(userMenu, { accounts, site }, (services) =>
    userMenuSlot(services.accounts, services.site, accountEntries, canRegister),
  );
  host.service(
    signInFlow,
    { accounts, loginSources, sessions, site },
    (services) =>
      new SignInFlowService({
        ...services,
        steps,
        actions,
        secret: services.site.secret('sessions.pending'),
        takesPasswords: registering.ENABLE_PASSWORD_SIGNIN_FORM,
      }),
  );
  const deps = { accounts, activation, formCaptcha, recovery, registration, sessions, signInFlow, site };
  const extras = { outSteps, links, hasForm: registering.ENABLE_PASSWORD_SIGNIN_FORM };
  host.routes(deps, signInPages(extras));
  host.routes(deps, newPasswordPages);
  host.routes(deps, registerPages(extras));
  host.routes(deps, activationPages);
  host.routes(deps, recoveryPages(extras));
  host.contribute(settingsMenu, {
    key: 'sessions',
    label: t.later('sessions.title'),
    href: '/user/settings/sessions',
    icon: 'device-desktop',
    order: 60,
    settings: [{ label: t.later('sessions.heading') }],
  });
  host.routes({ sessions, settingsPage, site }, sessionSettingsPages);
}
