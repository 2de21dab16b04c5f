/** The contract of `notifications`: telling people what concerns them. Types, references and events; no behaviour. */
export {
  notificationReasons,
  type NotificationSubjectKind,
  notificationSubjects,
  type NotificationChannel,
  notificationChannels,
  type MailSettingsContext,
  mailSettings,
  type Notifications,
  notifications,
  unreadChanged,
} from './contract/notifications.js';
