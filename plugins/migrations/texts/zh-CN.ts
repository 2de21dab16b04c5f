import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'git.label': 'Git',
  'git.description': '任何可由 Git 克隆的仓库：代码、标签和百科。',
  'gitea.label': 'Gitea、Forgejo',
  'gitea.description': '代码、工单、合并请求、评审、发布、标签、里程碑和百科。',
  'gitea.token': '在对方站点的账号设置中创建，需要读取仓库和工单的权限。',
  'gogs.label': 'Gogs',
  'gogs.description': '代码、工单、发布、标签、里程碑和百科，取决于其版本。',
  'field.username': '用户名',
  'field.password': '密码或令牌',
  'field.token': '访问令牌',

  'error.noMirrors': '本站不提供镜像。',
  'error.service': '没有来源“{service}”。',
  'error.publicOnly': '仅限公开内容的令牌不能用于此操作。',
  'error.disabled': '此站点已关闭导入。',
  'error.required': '必须填写此项。',
  'error.ended': '导入已经结束。',
  'error.running': '导入正在运行或已完成。',
  'error.cancelled': '导入已被取消。',
};
