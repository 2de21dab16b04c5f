import type { en } from './en.js';

export const zhCN: Record<keyof typeof en, string> = {
  'runner.title': '内置运行器',
  'runner.about':
    '本机上的运行器会执行工作流的作业，无需另外安装程序。它只为您在此指定的所有者服务。账户删除后即不再为其服务；以后取得该名称的人也不会得到服务。',
  'runner.danger': '隔离的范围与限度',
  'runner.onMachine':
    '除非使用容器，作业会作为用户 <user></user> 的普通进程在本机运行。该用户能读写的内容，作业都能读写；本机能访问的服务，作业都能访问；内存和处理器也没有限制。',
  'runner.fresh':
    '每个作业都有全新的工作目录和独立的环境，结束时其所有进程都会被终止。这能保持整洁，但不能防范任何人。',
  'runner.sameUser':
    '该用户就是运行服务器的用户：作业可以读取服务器的数据库、设置和所有仓库。在 [actions.runner] 中设置 USER，可让作业以其他用户身份运行。',
  'runner.trust': '因此，请只指定您愿意让其登录本机的所有者。能够写入其任一仓库的人，都可以在本机运行程序。',
  'runner.serves': '为哪些所有者执行作业',
  'runner.servesNote': '用户或组织的名称，以逗号分隔。',
  'runner.forAll': '执行所有仓库的作业，不论其所有者是谁',
  'runner.start': '启动运行器',
  'runner.change': '保存',
  'runner.stop': '停止运行器',
  'runner.stopConfirm': '要停止运行器吗？正在其上运行的作业将被取消。',
  'runner.runs': '运行器正在为以下所有者执行作业：{names}。',
  'runner.stands': '运行器已停止。',
  'runner.all': '所有仓库',
  'runner.bySettings': '此项由服务器设置决定：[actions.runner] ENABLED 和 SERVES。',
  'runner.asRoot': '作业不得以 root 身份运行。请在 [actions.runner] USER 中指定用户，然后重新启动服务器。',
  'runner.nobody': '请至少指定一个所有者。',
  'runner.tooMany': '最多可以指定 {count} 个所有者。',
  'runner.unknown': '没有名为 {name} 的所有者。',
};
