import { createHash, randomBytes } from 'node:crypto';
import {
  actAudited,
  Invalid,
  NotFound,
  Problem,
  refuseDuplicate,
  refusedField,
  type Database,
  type Events,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { isMailAddress, type Mailer } from '@mortise/mail/api';
import type { Organizations, Team } from '../api.js';
import type { Organization } from '../contract/organizations.js';
import { InvitationRow } from '../models/invitations.js';
import { auditedTeamAct } from './audited-team.js';
import type { TeamService } from './teams.js';
import { t } from '../texts/index.js';

const days = 7;
const dayMs = 86_400_000;
/** What nobody needs who invites people, and what no address is to be bothered with, within an hour. */
const maxOpen = { byInviter: 50, toAddress: 3, minutes: 60 } as const;
/** Pages show all that wait. */
const maxWaiting = 200;

/** An invitation that waits for an answer. */
export interface Invitation {
  readonly id: number;
  readonly teamId: number;
  readonly inviterId: number;
  readonly email: string;
  readonly expiresAt: number;
}

/** What an invitation leads to. */
export interface ResolvedInvitation extends Invitation {
  readonly team: Team;
  readonly organization: Organization;
  readonly inviter: Account;
}

interface InvitationDeps {
  readonly database: Database;
  readonly events: Events;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: TeamService;
  readonly site: Site;
  /** Undefined: nobody can be invited. */
  readonly mailer: Mailer | undefined;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const toInvitation = (row: InvitationRow): Invitation => ({
  id: row.id,
  teamId: row.team_id,
  inviterId: row.inviter_id,
  email: row.email,
  expiresAt: Number(row.expires_at),
});

/** Invites people to teams by mail: whoever has the link, and an account, may join once. */
export class InvitationService {
  constructor(private readonly deps: InvitationDeps) {}

  get isOffered(): boolean {
    return this.deps.mailer?.isEnabled ?? false;
  }

  /** Those of a team that wait, the newest first. */
  async list(teamId: number): Promise<Invitation[]> {
    const rows = await this.deps.database
      .query(InvitationRow)
      .where('team_id', teamId)
      .where('expires_at', '>', Date.now())
      .orderBy('id', 'desc')
      .limit(maxWaiting);
    return rows.map(toInvitation);
  }

  /** Whether the address belongs to an account is told by nothing that this does. */
  async invite(team: Team, organization: Organization, inviter: Account, email: string): Promise<void> {
    const { database, events, mailer, site } = this.deps;
    if (!mailer || !this.isOffered) throw Invalid(t.later('error.noMail'));
    if (!isMailAddress(email)) throw refusedField('uname', t.later('error.email'));
    const lower = email.toLowerCase();
    const full = await mailer.allow([
      { key: `team invitations of ${inviter.id}`, max: maxOpen.byInviter, minutes: maxOpen.minutes },
      { key: `team invitations to ${lower}`, max: maxOpen.toAddress, minutes: maxOpen.minutes },
    ]);
    if (full) throw new Problem('too_many', t.later('error.manyInvitations'));
    const token = randomBytes(32).toString('base64url');
    const now = Date.now();
    const store = () =>
      database.write(async () => {
        const ofAddress = { team_id: team.id, lower_email: lower };
        await database.query(InvitationRow).delete().where('team_id', team.id).where('expires_at', '<=', now);
        if (await database.query(InvitationRow).findOne(ofAddress))
          throw refusedField('uname', t.later('error.invited', { email }));
        await database.query(InvitationRow).insert({
          ...ofAddress,
          inviter_id: inviter.id,
          email,
          token_hash: hashOf(token),
          created_at: now,
          expires_at: now + days * dayMs,
        });
        await events.emit(actAudited, auditedTeamAct('invite', team, { details: { email } }));
        const names = {
          name: inviter.fullName || inviter.name,
          organization: organization.account.fullName || organization.account.name,
        };
        await mailer.send({
          to: { address: email, ...(inviter.language && { language: inviter.language }) },
          subject: t.later('invitation.subject', names),
          body: [
            t.later('invitation.text', { ...names, team: team.name, site: site.name }),
            { link: site.url(`/org/invite/${token}`), label: t.later('invitation.accept') },
            t.later('invitation.expires', { days }),
          ],
        });
      });
    await refuseDuplicate(t.later('error.invited', { email }), store);
  }

  /** NotFound for one that is gone. */
  async revoke(teamId: number, id: number): Promise<void> {
    const { database } = this.deps;
    const gone = await database.write(async () =>
      database.query(InvitationRow).delete().where({ id, team_id: teamId }),
    );
    if (!gone) throw NotFound('invitation');
  }

  /** What a link leads to; NotFound when it was used or revoked, is too old, or its sender may not invite any more. */
  async find(token: string): Promise<ResolvedInvitation> {
    const { accounts, database, organizations, teams } = this.deps;
    const row = await database.query(InvitationRow).findOne({ token_hash: hashOf(token) });
    const team = row && Number(row.expires_at) > Date.now() ? await teams.byId(row.team_id) : undefined;
    const organization = team && (await organizations.byId(team.organizationId));
    const inviter = row && (await accounts.byId(row.inviter_id));
    if (!row || !team || !organization || !inviter) throw NotFound('invitation');
    if (inviter.prohibitLogin || !inviter.isActive) throw NotFound('invitation');
    const isStillOwner = inviter.isAdmin || (await organizations.rights(inviter.id, team.organizationId)).isOwner;
    if (!isStillOwner) throw NotFound('invitation');
    return { ...toInvitation(row), team, organization, inviter };
  }

  /** Gives the team that the account is in from then on. */
  async accept(token: string, account: Account): Promise<ResolvedInvitation> {
    const { database, teams } = this.deps;
    return database.write(async () => {
      const invitation = await this.find(token);
      await teams.hold(invitation.team.organizationId);
      // Of two who use the link at once, one is first.
      const gone = await database.query(InvitationRow).deleteById(invitation.id);
      if (!gone) throw NotFound('invitation');
      await teams.addMember(invitation.team, account, invitation.inviter);
      return invitation;
    });
  }
}
