import {
  Csrf,
  FormFrame,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  TextField,
  webPage,
  type PageOptions,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import type { SignInFlow } from '@mortise/sessions/api';
import { wrongCode, type Factors } from '../services/factors.js';
import { codePath, stepKey } from '../services/second-factor-step.js';

interface CodeFormProps {
  /** The account has an app, not recovery codes alone. */
  readonly hasApp: boolean;
  readonly hasKey: boolean;
  readonly path: (path: string) => string;
}

const CodeForm = ({ hasApp, hasKey, path }: CodeFormProps): VNode => (
  <FormFrame
    title={t('code.title')}
    below={hasKey ? <a href={path('/user/webauthn')}>{t('code.useKey')}</a> : undefined}
  >
    <form method="post" action={path('/user/two_factor')}>
      <Csrf />
      <TextField
        name="passcode"
        label={hasApp ? t('code.label') : t('code.recoveryLabel')}
        note={hasApp ? t('code.note') : t('code.recoveryNote')}
        autocomplete="one-time-code"
        autocapitalize="none"
        maxLength={40}
        required
        autofocus
        mono
      />
      <button class="btn btn-primary btn-block" type="submit">
        {t('code.submit')}
      </button>
    </form>
  </FormFrame>
);

/** Where nobody need be signed in, whatever the settings say. */
export const open = { actor: 'anyone', always: true } as const;

/** `/user/two_factor`: the second factor by a one-time code or a recovery code, while signing in. */
export const codePages = ({
  factors,
  signInFlow,
  site,
}: {
  readonly factors: Factors;
  readonly signInFlow: SignInFlow;
  readonly site: Site;
}): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const page = async (
    userId: number,
    refused: { flash?: PageOptions['flash']; status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) => {
    const { totp, keys } = await factors.of(userId);
    return webPage({
      title: t.later('code.title'),
      width: 'narrow',
      ...refused,
      body: <CodeForm hasApp={totp} hasKey={keys > 0} path={path} />,
    });
  };
  return [
    pageRoute(codePath, open, async (context) => {
      const pendingSignIn = await signInFlow.at(context, stepKey);
      return pendingSignIn ? page(pendingSignIn.account.id) : reply.redirect(path('/user/login'));
    }),
    postRoute(
      codePath,
      open,
      async (context) => {
        const pendingSignIn = await signInFlow.at(context, stepKey);
        if (!pendingSignIn) return reply.redirect(path('/user/login'));
        const { id } = pendingSignIn.account;
        try {
          if (!(await factors.use(id, context.payload.passcode, context.remoteAddress))) throw wrongCode();
        } catch (error) {
          if (!Problem.is(error)) throw error;
          const status = error.code === 'invalid' ? 401 : error.status;
          return page(id, { flash: refusedFlash(error), status, headers: error.headers });
        }
        return signInFlow.pass(context, pendingSignIn, stepKey);
      },
      {
        payload: Joi.object<{ readonly passcode: string }>({ passcode: Joi.string().allow('').max(100).default('') }),
      },
    ),
  ];
};
