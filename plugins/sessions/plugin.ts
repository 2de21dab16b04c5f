import {
  authMethods,
  cache,
  database,
  events,
  defineJob,
  definePlugin,
  defineService,
  jobs,
  locks,
  site,
  accountMenu,
  userMenu,
} from '@mortise/plugin-sdk';
import {
  accountCodes,
  accountMail,
  accounts,
  credentialsChanged,
  emails,
  loginSourceKinds,
  loginSources,
  ownerConfirmations,
  reservedNames,
  settingsMenu,
  settingsPage,
} from '@mortise/accounts/api';
import {
  captchas,
  formCaptcha,
  ownerConfirmation,
  registrations,
  sessions,
  sessionsEnded,
  signInActions,
  signInFlow,
  signInLinks,
  signInSteps,
  signOutSteps,
  type Session,
} from './api.js';
import { userMenuSlot } from './pages/slots.js';
import { activationPages } from './routes/activation.js';
import { newPasswordPages, newPasswordStep } from './routes/new-password.js';
import { recoveryPages } from './routes/recovery.js';
import { registerPages } from './routes/register.js';
import { sessionSettingsPages } from './routes/settings.js';
import { signInPages } from './routes/sign-in.js';
import { Activation } from './services/activation.js';
import { CaptchaOfForms } from './services/captcha.js';
import { Flow } from './services/flow.js';
import { sessionMethod } from './services/method.js';
import { Owners } from './services/owner-confirmation.js';
import { Recovery, sendRecovery } from './services/recovery.js';
import { Registration } from './services/registration.js';
import { SessionService } from './services/sessions.js';
import { captchaSettings, registrationSettings, rememberSettings, sessionSettings } from './settings.js';
import { t } from './texts/index.js';

const registration = defineService<Registration>('sessions.registration');
const activation = defineService<Activation>('sessions.activation');
const recovery = defineService<Recovery>('sessions.recovery');
const sweep = defineJob<Record<string, never>>('sessions.sweep');

export default definePlugin({
  name: 'sessions',
  version: '1.0.0',
  description: 'Sign-up, sign-in, sign-out and remembered devices',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  provides: [
    sessions,
    sessionsEnded,
    signInFlow,
    signInSteps,
    signOutSteps,
    captchas,
    formCaptcha,
    signInActions,
    signInLinks,
    ownerConfirmation,
    registrations,
    registration,
    activation,
    recovery,
    sendRecovery,
    sweep,
  ],

  register(host) {
    const registering = host.settings('service', registrationSettings);
    const captcha = host.settings('service', captchaSettings);
    const rules = host.settings('session', sessionSettings);
    const remember = host.settings('security', rememberSettings);
    const steps = host.point(signInSteps);
    const actions = host.point(signInActions);
    const outSteps = host.point(signOutSteps);
    const links = host.point(signInLinks);
    const canRegister =
      !registering.DISABLE_REGISTRATION &&
      !registering.ALLOW_ONLY_EXTERNAL_REGISTRATION &&
      registering.SHOW_REGISTRATION_BUTTON;
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      sessions,
      { accounts, cache, database, events },
      (services) =>
        new SessionService(
          services.database,
          services.accounts,
          services.cache.fresh<Session | undefined>('sessions.sessions', { max: 5000 }),
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

    host.contribute(authMethods, { sessions }, (services) =>
      sessionMethod(services.sessions as SessionService, rules.COOKIE_NAME),
    );
    const accountEntries = host.point(accountMenu);
    host.contribute(userMenu, { accounts, site }, (services) =>
      userMenuSlot(services.accounts, services.site, accountEntries, canRegister),
    );
    host.contribute(reservedNames, { names: ['login', 'logout', 'register'] });
    host.service(
      signInFlow,
      { accounts, loginSources, sessions, site },
      (services) =>
        new Flow({
          ...services,
          steps,
          actions,
          secret: services.site.secret('sessions.pending'),
          takesPasswords: registering.ENABLE_PASSWORD_SIGNIN_FORM,
        }),
    );
    host.contribute(signInSteps, newPasswordStep);
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

    host.on(credentialsChanged, 'within', 'end-sessions', { sessions }, async (change, services) => {
      if (change.passwordChanged) await services.sessions.end(change.userId, { keep: change.keepSession });
    });
    host.job(sweep, {}, { sessions }, (_, services) => (services.sessions as SessionService).sweep());
    host.schedule('sweep', '17 3 * * *', sweep, {});

    host.onStart({ formCaptcha, sessions }, async (services) => {
      (services.formCaptcha as CaptchaOfForms).checkSettings();
      const { uses } = services.sessions as SessionService;
      return () => uses.close();
    });
  },
});
