import { authMethods, defineJob, definePlugin, fromPackage, settingList } from '@mortise/plugin-sdk';
import { credentialsChanged, dashboardSteps, reservedNames } from '@mortise/accounts/api';
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
} from './api.js';
import { t } from './texts/index.js';
import { newPasswordStep } from './pages/new-password.js';
import { CaptchaOfForms } from './services/captcha.js';
import { sessionMethod } from './services/method.js';
import { sendRecovery } from './services/recovery.js';
import { SessionService } from './services/sessions.js';
import { registration, activation, recovery, openSettings, registerSessions, registerSessionPages } from './wiring.js';

const sweep = defineJob<Record<string, never>>('sessions.sweep');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
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
    const opened = openSettings(host);
    const { rules } = opened;
    registerSessions(host, opened);
    registerSessionPages(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(authMethods, { sessions }, (services) =>
      sessionMethod(services.sessions as SessionService, rules.COOKIE_NAME),
    );
    host.contribute(reservedNames, { names: ['login', 'logout', 'register'] });
    host.contribute(signInSteps, newPasswordStep);
    host.contribute(dashboardSteps, { settings: settingList }, ({ settings }) => ({
      key: 'registration',
      list: 'site' as const,
      order: 30,
      label: t.later('step.registration'),
      path: '/-/admin/configuration?q=DISABLE_REGISTRATION',
      isDone: async () => settings.find('service', 'DISABLE_REGISTRATION')?.isSet === true,
    }));
    host.on(credentialsChanged, 'within', 'end-sessions', { sessions }, async (change, services) => {
      if (change.passwordChanged) await services.sessions.end(change.userId, { keep: change.keepSession });
    });
    host.job(sweep, {}, { sessions }, (_, services) => (services.sessions as SessionService).sweep());
    host.schedule('sweep', '17 3 * * *', sweep, {}, { title: t.later('schedule.sweep') });
    host.onStart({ formCaptcha, sessions }, async (services) => {
      (services.formCaptcha as CaptchaOfForms).checkSettings();
      const { uses } = services.sessions as SessionService;
      return () => uses.close();
    });
  },
});
