"""Cue words of questions: what is asked, what is left out, what is only said in passing. A concept a row. (R70)."""

from __future__ import annotations

from domain.language.cue import Cue

# ---------------------------------------------------------------- kinds of answer

WHAT_TO_DO = Cue(
    "怎么处理|如何处理|怎样处理|怎么处置|如何处置|怎么解决|如何解决|怎样解决|怎么办|怎么修|如何修|怎么做"
    "|如何做|做什么|怎么恢复|如何恢复|怎么排查|如何排查|怎样排查|怎么应对|如何应对|怎么缓解|如何缓解|处理步骤"
    "|处理方法|处理办法|解决办法|解决方案|解决方法|处置步骤|处置流程|处理流程|排查步骤|怎么避免|如何避免"
    "|应对措施|下一步",
    "what should i do|what should we do|what do i do|what do we do|what to do|what can i do|what can we do"
    "|how do i fix|how do we fix|how do i|how do we|how can i|how can we|how should i|how should we|how to"
    "|what are the steps|which steps|what steps|next steps|remedy|remediation|mitigate|mitigation|runbook for"
    "|playbook for|fix for",
)
WHY = Cue(
    "为什么|为何|为啥|原因|根因|根源|什么导致|什么引起|什么造成|是什么引发|因何|怎么会",
    "why|how come|what caused|what causes|what cause|what is causing|what's causing|what was causing"
    "|what triggered|cause of|causes of|cause for|causing|root cause|the cause|reason|reasons|what led to"
    "|what made|what makes|due to what",
)
SINCE_WHEN = Cue(
    "什么时候|什么时间|何时|几点|多久|从哪天|哪一天|哪天|多长时间|持续时长|持续时间|开始时间|首次出现|第一次出现|最早",
    "since when|when|how long|what time|at what point|first appear|first appeared|first occurred|first seen"
    "|start time|which day|what day",
)
LATEST = Cue(
    "最近一次|最后一次|上一次|上次|最后一条|最近一条|最新|结束|恢复|停止",
    "last|latest|most recent|most recently|end|ended|stop|stopped|recover|recovered|over",
)
HOW_MANY = Cue(
    "多少条|多少次|多少个|多少台|多少笔|多少起|多少类|多少种|多少行|多少名|多少人|几条|几次|几个|几台|几笔"
    "|几起|几类|几种|几行|条数|次数|总数|数量|计数|总共有|一共有|共有多少|总共多少|一共多少|有多少|出现多少"
    "|发生多少|统计|多少告警|多少错误|多少日志|多少请求|多少订单|多少异常",
    "how many|how often|number of|count|counts|total number|how frequently|tally",
)
HOW_MUCH = Cue(
    "是多少|为多少|到多少|达多少|多高|多大|多慢|多快|多长|多重|当前值|数值|多少毫秒|多少秒|多少兆|百分之多少"
    "|多少百分|占用多少|使用多少|多少内存|多少流量|多少磁盘|用了多少|剩多少|剩余多少|多少",
    "how much|how high|how low|how large|how big|how slow|how fast|how full|what value|what is the value"
    "|current value|value of|what is the rate|what percentage|what level of",
)
IS_OVER = Cue(
    "恢复了吗|恢复了没|恢复没|恢复正常|是否恢复|是否已恢复|是否已经恢复|有没有恢复|恢复了|解决了吗|解决没"
    "|是否解决|是否已解决|是否已经解决|解除了吗|是否解除|是否已解除|是否已经解除|结束了吗|是否结束|是否已结束"
    "|是否已经结束|消除了吗|是否消除|好了吗|好了没|还在持续|是否仍在|是否仍然在|是否还在|还在不在|仍在|还在"
    "|仍然在|仍处于|仍未恢复|停了|停止了|停下|过去了吗|修复了|是否修复|是否已修复|解除了|解决了|消失了|结束了",
    "still firing|still failing|still down|still active|still happening|still going on|still there"
    "|still ongoing|still open|still present|still alerting|still broken|still unavailable|still slow"
    "|still high|still red|still degraded|still unhealthy|still the case|recovered|resolved|cleared|over"
    "|back to normal|gone|gone away|stop|stopped|fixed|healthy again|ended|end|subsided|subside|recover|clear"
    "|no longer|up again|back up",
)
WHICH = Cue(
    "哪些|哪个|哪几|哪一|哪台|哪种|哪类|哪条|哪里|哪儿|什么告警|什么报警|什么错误|什么服务|什么异常|什么日志"
    "|什么报错|什么实例|什么接口|有什么|什么意思|什么含义|含义是|有啥|列出|列一下|列举|列表|谁",
    "which|what|who|where",
)
WHETHER = Cue(
    "是否|有没有|有没|有无|是不是|能否|可否|存不存在|在不在|会不会|对不对|是不|吗",
    "is|are|was|were|do|does|did|has|have|had|can|could|will|would|any|whether|if|confirm",
)
WHETHER_ASKED = Cue(
    "是否|有没有|有没|有无|是不是|能否|可否|存不存在|吗|哪些|哪个|为什么|为何|多少|怎么|如何|什么",
    "",
)
MOST = Cue(
    "最多|最高|最慢|最大|最频繁|最少|最低",
    "most|highest|slowest|largest|most often|least|lowest",
)
COMMANDS = Cue(
    "",
    "list|show me|show all|show|enumerate|name the|name all|give me|print|display",
)
OPEN = Cue(
    "怎么了|怎么回事|怎么样|什么情况|什么问题|出了什么|发生了什么|如何了|是啥情况",
    "what is wrong|what's wrong|whats wrong|what went wrong|what is going on|what's going on|what happened"
    "|what is happening|what's happening|what is up with|what's up with|how is|how are",
)
MEANING = Cue(
    "什么意思|含义|定义|什么是|是什么|指什么|表示什么|代表什么|知识库|手册|文档|预案|规范|指南",
    "what does|mean|means|meaning|definition|what is a|runbook|documentation|playbook|knowledge base|docs|sop",
)

NOW = Cue(
    "当前|现在|目前|刚才|最近|此刻|正在|眼下",
    "currently|right now|now|at the moment|at present|recently|lately",
)
DIAGNOSE = Cue(
    "排查|诊断|异常|故障|怎么了|怎么回事|不正常|出问题",
    "diagnose|what is wrong|what's wrong|investigate|troubleshoot|look into|debug|what happened|what's going on",
)

# ---------------------------------------------------------------- things a question speaks of

ALERTS = Cue(
    "告警|报警|警报|预警",
    "alert|alerts|alarm|alarms|alerting",
)
LOGS = Cue(
    "日志|堆栈",
    "log|logs|stack trace|stack traces|stacktrace|log lines|log entries|log line|log entry",
)
METRICS = Cue(
    "指标|监控|时序",
    "metric|metrics|gauge|counter|series|time series",
)
TRENDS = Cue(
    "趋势|走势|走向|变化情况|怎么变化|如何变化|变化如何|曲线",
    "trend|trends|trending|over time|evolve|evolved|evolution|change over",
)
"""How a value went, and not what it is."""
RECORDS = Cue(
    "日志|记录|条目|告警|报警|警报|报错|信息|内容|消息|响应|请求|事件|指标|数据|样本|输出|情况|现象|问题|迹象|痕迹",
    "log|logs|line|lines|entry|entries|record|records|message|messages|event|events|alert|alerts|alarm|alarms"
    "|response|responses|request|requests|metric|metrics|occurrence|occurrences|instance|instances|trace|traces|sign|signs|evidence|hits|issue"
    "|issues|problem|problems|case|cases",
)
ERRORS = Cue(
    "错误|报错|异常|出错",
    "error|errors|exception|exceptions|failure|failures|err",
)
LEVELS = Cue(
    "错误|警告|告警|致命|严重|紧急|调试|信息",
    "error|errors|err|warn|warning|warnings|fatal|critical|severe|crit|emerg|emergency|panic|info|debug|trace"
    "|notice|alert",
)
LEVEL_NOUNS = Cue(
    "级别|等级|级",
    "level|severity",
)
SERVICES = Cue(
    "服务|微服务|应用|实例|组件|模块|系统|进程|网关|集群|程序|容器|主机|节点|机器|服务器",
    "service|services|app|application|component|microservice|daemon|server|process|container|deployment"
    "|workload|job|cluster|backend|host|node|instance|pod|unit",
)
SERVICE_KINDS = Cue(
    "微服务|服务器|服务|系统|网关|应用|平台|中台|集群|模块|组件",
    "",
)
"""What the Chinese name of a service ends with."""
WHOSE = Cue(
    "我们|你们|他们|我们的|整个|全部|所有|各个|各|每个|这个|那个|该|此|业务|后端|前端|线上|生产|监控|告警"
    "|日志|文件|数据|数据库|操作|以及|关于|对于|检索|为什么|因为|由于",
    "",
)
"""Before the word for a service they name none."""
CODES = Cue(
    "错误码|状态码|退出码|返回码|响应码|错误代码|错误号|退出代码",
    "error code|status code|exit code|return code|response code|exit status|status|errno|sqlstate"
    "|error number|http|code",
)
OF_STATUS = Cue(
    "错误|报错|异常|状态|响应|返回|告警|日志|请求|次",
    "error|errors|response|responses|status|statuses|code|codes|on|from|in|for",
)
"""Behind a number they tell that it is a status."""
BEFORE_STATUS = Cue(
    "返回|出现|报|大量|报了",
    "return|returns|returned|returning|a|an|any|the|get|got|see|of|answer|answered|and|or|with|http|status",
)
COUNTED = Cue(
    "秒|毫秒|分钟|小时|天|条|个|次|笔|万|台|元|%",
    "ms|rows|lines|entries|MB|GB|KB|times|records|requests|messages",
)
"""Behind a number they tell that it counts or measures."""
ENTRIES = Cue(
    "",
    "line|lines|entry|entries|message|messages|record|records",
)
OR_WORSE = Cue(
    "及以上|以上|或以上",
    "and above|or above|or worse|and worse|or higher|and higher",
)
ORDERS = Cue(
    "订单号|订单|用户id|用户|账号|账户|会话|请求id|请求|任务|交易号|交易|流水号|流水|作业|工作流|链路id|链路"
    "|追踪id|批次|退款单|退款|支付单|运单|发票|优惠券|上传|分片|消息id",
    "order|orders|user|user id|account|customer|session|request|request id|transaction|task|job|trace"
    "|trace id|traceid|span|span id|correlation id|payment|invoice|batch|pid|message id|tenant|refund|shipment"
    "|coupon|upload|segment|chunk|voucher|parcel",
)
PEOPLE = Cue(
    "用户|账号|账户",
    "user|account|login",
)
"""Behind them stands a name of somebody."""
WRITING = Cue(
    "记录过|打印过|返回过|抛出过|报过|拒绝过",
    "log|logged|logging|throw|thrown|threw|report|reported|return|returned|print|printed|emit|emitted|write|written"
    "|wrote|raise|raised|record|recorded|answer|answered|refuse|refused|reject|rejected|drop|dropped",
)
"""What a service does that is asked about."""
FIRING = Cue(
    "触发|告警|报警|firing|响",
    "fires|fire|firing|fired|goes off|went off|pending|resolved",
)
WHO = Cue("谁|哪个人|什么人|哪位|何人", "who|whom|by whom|whose")
SOMEBODY = Cue(
    "用户|账号|账户|操作人|操作员|作者|提交人|执行人|由",
    "user|users|username|uid|auid|acct|account|author|actor|operator|owner|login|committer|requester|approver|by"
    "|silenced_by|triggered_by|created_by|updated_by|changed_by|from",
)
"""Beside them an entry names who did something."""
SIGNING_IN = Cue(
    "登录|登陆|登入|登上|连接",
    "log in|logs in|logged in|logging in|login|logins|sign in|signed in|signing in|ssh|authenticate"
    "|authenticated|connect|connected",
)
BEHIND_NO_PEOPLE = Cue(
    "目录|分区|页面|后台|接口|服务|证书|路径|文件|卷|盘|端|面板|控制台|控制器",
    "cause|causes|certificate|directory|folder|partition|page|panel|console|api|service|path|volume",
)
"""What a name of an account names when it stands before one of these: no account."""
BEHIND_PEOPLE = Cue(
    "",
    "in|on|at|from|since|during|between|been|was|has|had|is|by|today|yesterday|this|last|within|ever|log|try|tried",
)
"""English words behind such a name."""
PACKAGES = Cue(
    "软件包|安装包|升级过|升级了|安装过|安装了|卸载过|卸载了|更新过|更新了",
    "package|packages",
)
"""Behind them stands what is installed: no service of its own."""
EITHER = Cue(
    "或者|或|还是|、|/",
    "or",
)
"""Between two things of which either will do."""
NAMESPACES = Cue(
    "命名空间|名字空间",
    "namespace|ns",
)

EXISTS = Cue(
    "是否真实存在|是否确实存在|是否存在|是否出现过|是否出现|是否发生过|是否发生|是否曾出现|是否有过|是否有"
    "|是否报|有没有出现过|有没有出现|有没有发生过|有没有发生|有没有过|有没有|有没|有无|存不存在|是否包含"
    "|是否记录|是否还有|是否检测到|是否触发|存在|出现过|出现了|出现|发生过|发生了|发生|有多少次|有多少条"
    "|有多少个|有多少|多少次|多少条|多少个|几次|几条|几个|有哪些|哪些|有什么|检索|搜索|查找|查询一下|查询"
    "|查一下|统计|关于|有没有人|是否有人|有人|是否",
    "are there any|is there any|were there any|was there any|have there been any|has there been any|did any"
    "|do any|does any|are any|is any|were any|are there|is there|were there|was there|have there been"
    "|has there been|do we have any|do we have|do we see any|do we see|do you see any|do you see"
    "|did we have any|did we see any|any|how many|number of|search for|look for|find|grep for|grep"
    "|evidence of|occurrences of|instances of|signs of|check for|count of|count the|mention of|mentions of"
    "|how often",
)

# ---------------------------------------------------------------- what is left out, and what limits a question

BACKGROUND = Cue(
    "因为|由于|既然|鉴于|据说|听说|据称|据了解|有人说|同事说|同事反馈|用户反馈|客户反馈|用户投诉|客户投诉"
    "|用户说|客户说|用户报告|客户报告|运维说|值班说|领导说|老板说|有人反馈|被告知|我们知道|我知道|众所周知"
    "|我们刚|顺便说|顺带一提|顺便提一下|供参考|仅供参考",
    "because|since we|since i|since our|given that|given the|i was told|we were told|i heard|i've heard"
    "|someone said|someone told|somebody said|they say|they said|customers say|customers said"
    "|customers report|customers reported|customers complain|users report|users reported|users complain"
    "|users complained|users say|users said|a user reported|a customer reported|my colleague|a colleague"
    "|it is said|apparently|we know|i know|as you know|fyi|for context|by the way|btw|incidentally",
)
"""From one of these on, a clause only says why somebody asks."""
RECENT_CHANGE = Cue(
    "",
    "as we|we just|we recently|we deployed|we released|we upgraded|we rolled out|we restarted|we changed"
    "|we migrated|we shipped|we have deployed|we have just|we've deployed|we've just|yesterday we|today we"
    "|last night we|this morning we|last week we",
)
"""A clause that begins so says the same."""
CHECKED = Cue(
    "已经确认过|已经看过|已经查过|已经排查过|已经检查过|已确认过|已看过|已查过|已经排除|已排除|已经确认没问题"
    "|已确认没问题|已确认正常|已经没问题",
    "i already|we already|i have already|we have already|i've already|we've already|already checked"
    "|already verified|already ruled out|already looked at|was ruled out|is fine|are fine|looks fine"
    "|look fine",
)
"""A clause that holds one of these is done with."""
CHANGES = Cue(
    "重启|发布|上线|升级|部署|变更|扩容|缩容|回滚|切换|迁移|改造|合并",
    "deployed|released|upgraded|rolled out|rolled back|restarted|changed|migrated|shipped|merged|scaled"
    "|switched|updated|patched|the deploy|the deployment|the release|the rollout|the upgrade|the migration"
    "|the restart",
)
JUST = Cue(
    "昨天|今天|今早|今晨|昨晚|上周|前天|刚刚|刚才|刚|前几天|上午|下午|凌晨|周一|周二|周三|周四|周五",
    "",
)
AFTERWARDS = Cue(
    "之后|以后|完成后|完后|后",
    "after|ever since|following|once",
)

OVER_LIMIT = Cue(
    "超过|大于|高于|多于|长于|慢于|低于|小于|少于|短于|不足|不到|不超过|不低于|不少于|不高于|至少|至多|达到"
    "|超出|大于等于|小于等于",
    "over|above|more than|greater than|larger than|longer than|slower than|higher than|less than|lower than"
    "|fewer than|below|under|at least|at most|exceed|exceeds|exceeded|exceeding|up to|beyond|reaches|reached",
)
TICKETS = Cue(
    "工单|工单号|需求|缺陷|变更单|事件单|任务单",
    "ticket|issue|incident|jira|bug|story|change request|case|pr|pull request|mr",
)
ASKED_ABOUT = Cue(
    "关于|包含|含有|提到|出现|出现过|有没有",
    "about|was|were|containing|contains|contain|mention|mentions|mentioned|mentioning",
)
"""Behind them a number like a ticket's is what is asked for."""
VERSIONS = Cue(
    "版本",
    "version|release|build|revision|tag",
)
POLITE = Cue(
    "请问|请帮忙|请帮我|请|麻烦|劳驾|帮忙|帮我|帮|谢谢|多谢|感谢|辛苦了|辛苦|你好|您好|大家好|早上好|一下"
    "|看看|看一下|看下|排查|确认|检查|诊断|分析|核实|核对|告诉我|我想知道|想知道|我想|能不能|可以|能否",
    "please|pls|could you|can you|would you|will you|kindly|thanks|thank you|thx|hello|hi|hey|dear"
    "|i would like to know|i'd like to know|i want to know|i need to know|tell me|let me know|help me|check"
    "|confirm|verify|find out|see|i wonder|wondering",
)

# ---------------------------------------------------------------- words that name nothing by themselves

FAILURES = Cue(
    "失败|故障|出错|报错|错误|异常|问题|宕机|挂了|挂掉|不可用|崩溃",
    "fail|fails|failed|failing|failure|failures|outage|problem|problems|issue|issues|trouble|down|broken"
    "|wrong|error|errors|exception|exceptions|unavailable|incident|incidents",
)
LEFT_OUT = Cue(
    "除了|除去|除开|除|不包括|不含|不算|排除",
    "except|except for|excluding|other than|apart from|aside from|outside|outside of|not in|not during|but not"
    "|not counting|before|earlier than|prior to",
)
ALL_BUT = Cue("以外|之外|以前|之前", "")
NONE_OF = Cue(
    "没有|没|无|未见|未出现|不存在",
    "no|without|free of|never had|don't have|do not have|have no|had no|has no|didn't have|did not have",
)
CONDITIONS = Cue(
    "耗尽|打满|占满|用尽|用完|满了|不足|过高|过低|过大|过多|过慢|超限|升高|飙升|上升|下降|偏高|偏低|太高|太慢"
    "|不可用|紧张|瓶颈",
    "exhausted|exhaustion|saturated|full|high|low|slow|exceeded|unavailable|rising|falling|growing|spiking"
    "|spike|spikes",
)
"""How a thing is: no term without the thing."""
STATES = Cue(
    "触发|正常|可用|健康|完成|存活|告急|激活|活跃|生效|状态|运行|恢复|解除|解决|结束|消除|消失|停止|停下|停了"
    "|修复|关闭|打开|成功",
    "firing|fire|fired|fires|active|pending|triggered|trigger|healthy|alive|ok|okay|normal|running|present|up"
    "|status|state|happening|going|there",
)
GENERIC = Cue(
    "报|抛|最高|最多|最慢|最大|最低|最少|最长|频繁|频率|根据|基于|通过|依据|针对|关于|查看|之间|两者|分组"
    "|排序|处理|执行|运行|返回|产生|报告|报出|报了|上报|抛出|写入|打印|输出|出现|发生|存在|触发|检索|查询"
    "|搜索|查找|统计|相关|关键字|关键词|包含|含有|持续|一直|开始|首次|第一次|最早|最新|最近|当前|目前|现在"
    "|刚才|今天|昨天|全部|所有|任何|其他|其它|别的|新的|严重|明显|大量|类似|对应|这种|那种|这个|那个|这些"
    "|那些|我们|他们|你们|系统|线上|生产|环境|期间|时间|时候|情况|次数|条数|数量|总数|一共|总共|具体|详细"
    "|还有|还在|没有|是什么|什么|怎么|如何|几点|几次|多少|哪些|哪个|是否|有没有|空间|功能|业务|操作|动作|行为"
    "|结果|错误码|状态码|地址|名称|列表|告诉|列出|给出|知道|显示|请求|接口|访问|调用|连上|联系|真实|确实",
    "",
)
"""Words that stand beside what is asked for and are not it."""
FUNCTION_ZH = (
    "的了是在和与及或为有对从到于以之其该此这那并且也还就都而则所由被把将等个条项次中上下内里外"
    "处已约共至您吗呢吧么过着给让向往跟同"
)
PARTS_FROM = Cue(
    "",
    "in|on|at|for|from|by|within|during|between|since|of|to|with|about|across|over|under|when|that|which|who"
    "|and|or|today|yesterday|tonight|now|right|currently|recently|lately|last|past|this|there|after|before"
    "|while|where|because|due|than|been|being|be|is|are|was|were|has|have|had|as|into|through|via|per|up|out"
    "|did|does|do|can|will|so|if|again|anywhere|against|toward|towards|inside|came|come|comes|arrived|arrive"
    "|happened|happen|happens|occurred|occur|occurs",
)
"""English words that begin another part of the sentence than the thing asked for."""
FINDING = Cue(
    "",
    "have|has|had|get|gets|got|log|logs|logged|logging|see|sees|saw|seen|hit|hits|report|reports|reported"
    "|throw|throws|threw|thrown|record|records|recorded|experience|experienced|encounter|encounters"
    "|encountered|run into|runs into|running into|ran into|write|writes|wrote|with|about",
)
"""English verbs whose object is what is asked for."""
