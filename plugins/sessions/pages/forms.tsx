import { CheckField, Csrf, TextField } from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';

interface FormProps {
  readonly csrf: string;
  readonly path: (path: string) => string;
  readonly redirectTo: string;
}

const Frame = ({
  title,
  children,
  below,
}: {
  title: string;
  children: ComponentChildren;
  below?: ComponentChildren;
}): VNode => (
  <div class="mx-auto py-5 px-3" style="max-width:360px">
    <h1 class="h3 text-center text-normal mb-3">{title}</h1>
    <div class="Box color-bg-subtle">
      <div class="Box-body">{children}</div>
    </div>
    {below ? <div class="Box mt-3 p-3 text-center">{below}</div> : null}
  </div>
);

export function SignInForm({
  csrf,
  path,
  redirectTo,
  name,
  canRegister,
  links,
}: FormProps & { name: string; canRegister: boolean; links: readonly VNode[] }): VNode {
  return (
    <Frame
      title="Sign in"
      below={
        canRegister ? (
          <span>
            New here? <a href={path('/user/sign_up')}>Make an account</a>
          </span>
        ) : null
      }
    >
      <form method="post" action={path('/user/login')}>
        <Csrf token={csrf} />
        <input type="hidden" name="redirect_to" value={redirectTo} />
        <TextField
          name="user_name"
          required
          autocapitalize="none"
          label="User name or e-mail address"
          value={name}
          autocomplete="username"
          autofocus={!name}
        />
        <TextField
          required
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          autofocus={Boolean(name)}
        />
        <CheckField name="remember" label="Remember this browser" />
        <button class="btn btn-primary btn-block mt-3" type="submit">
          Sign in
        </button>
      </form>
      {links}
    </Frame>
  );
}

export function RegisterForm({
  csrf,
  path,
  name,
  email,
  isFirst,
}: FormProps & { name: string; email: string; isFirst: boolean }): VNode {
  return (
    <Frame
      title={isFirst ? 'Make the first account' : 'Make an account'}
      below={
        <span>
          Registered already? <a href={path('/user/login')}>Sign in</a>
        </span>
      }
    >
      {isFirst ? <p class="flash mb-3">The first account administers this site.</p> : null}
      <form method="post" action={path('/user/sign_up')}>
        <Csrf token={csrf} />
        <TextField
          name="user_name"
          required
          autocapitalize="none"
          label="User name"
          value={name}
          autocomplete="username"
          autofocus
          note="Letters, digits, dash, dot and underscore"
        />
        <TextField
          name="email"
          required
          autocapitalize="none"
          label="E-mail address"
          type="email"
          value={email}
          autocomplete="email"
        />
        <TextField required name="password" label="Password" type="password" autocomplete="new-password" />
        <TextField required name="retype" label="Password again" type="password" autocomplete="new-password" />
        <button class="btn btn-primary btn-block" type="submit">
          Register
        </button>
      </form>
    </Frame>
  );
}

export function NewPasswordForm({ csrf, path, redirectTo }: FormProps): VNode {
  return (
    <Frame title="Choose a new password">
      <p>Before you go on, the password of this account has to be changed.</p>
      <form method="post" action={path('/user/settings/change_password')}>
        <Csrf token={csrf} />
        <input type="hidden" name="redirect_to" value={redirectTo} />
        <TextField
          required
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          autofocus
        />
        <TextField required name="retype" label="New password again" type="password" autocomplete="new-password" />
        <button class="btn btn-primary btn-block" type="submit">
          Change password
        </button>
      </form>
    </Frame>
  );
}
