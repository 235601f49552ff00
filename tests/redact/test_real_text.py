"""What packages, manuals, translations and logs say near words for secrets, and is none: it stays as it is.

Each line stood in real text, and was hidden once.
"""

import random
import string

import pytest

from overspill.redact.redactor import Redactor

NAMES = (
    "  * Add a superficial autopkgtest for smbk5pwd.\n",
    "extension (most FIDO2 keys, including YubiKeys)\n",
    "ii  libpam0g        0.72-12    Pluggable Authentication Modules f\n",
    "# For WPA-RADIUS/EAP, ieee8021x must be set (but without dynamic WEP keys\n",
    "* new filter for phpMyAdmin using syslog for auth logging\n",
    "00000000002c80c0 T NAMING_AUTHORITY_get0_authorityId@@OPENSSL_3.0.0\n",
    "  libqt5network5 libqt5networkauth5 libqt5test5\n",
    "# PMK-R0 Key Holder identifier (dot11FTR0KeyHolderID)\n",
    "#  Active Directory won't give the passwords to FreeRADIUS.\n",
    "credentials from ccache file (KRB5CCNAME) based on target parameters\n",
    "    if os.getenv('KRB5CCNAME') is not None and self.__password\n",
    "If TRUE, the MSCHAPv2 authentication method is refused\n",
    "Fractional DATETIMEs only, with password\n",
    "  libkf5akonadi5 libkf5archive-data\n  libkf5archive5 libkf5attica5 libkf5auth5 libpam-pwquality password\n",
    "libzxcvbn0 - password strength estimation library\n",
    "private key: OSSL_STORE_INFO_get0_PARAMS and the token key\n",
    "| LOGIN    console         2015-11-08T12:03:50  8h55m58s\n",
    ".It Ic lpwd\n.It Xo Ic ls password\n.Op Fl 1afhlnrSt\n",
    "login`path`,{d:`M0 3v2h2V3H0zm3 0v2h2V3H3zm3`} password\n",
    "6000  3CRSHPW796 [OfficeConnect Wireless CardBus]\n",
    "138 |         self.username = username\n139 |         self.password = password\n140 |         self._ask()\n",
    "expired-password          FALSE\nwsrep-SR-store            table\nwsrep-certify-nonPK       TRUE\n",
    "Authentication failure for myhlj1374 from 192.030.0.6\n",
    "Feb 24 07:33:59 mail sm-mta[21134]: s1O7XtZJ021134: AUTH failure (LOGIN)\n",
    "secrets-hints, object property in NMAWs8021x\n",
    "nma_ws_wpa_psk_new, function in NMAWsWpaPsk\n",
    "NMAWs8021x:secrets-hints, object\n",
    "the passwords say what goes with what\n",
    "  -u, --user <user:password>\n        Specify  the user name, overrides -n,\n        --netrc and -n.\n",
    "glob      pty       wave\ngraph     pwd       wcwidth\ngrp       pyasn1    weakref\n",
    "    [SHIRO-552] - JdbcRealm in SaltStyle.COLUMN assumes that password column is Base64\n",
    '<li>| <a href="#v:OAuth2Bearer">OAuth2Bearer</a> <a\n',
    "'mail.domain.net; dkim=pass (1024-bit key; secure) header.d=email.com\n",
    "\tNTLMv2Hash := getNtlmV2Hash(password, username, target)\n",
    " *     - smbpasswd: Smbpasswd command.\n",
    "    Laita t&#xE4;h&#xE4;n nykyinen salasanasi. Sinun pit&#xE4;&#xE4; kirjoittaa\n",
    "    - wifi: cfg80211: cancel scan results work on unregister\n    - wifi: rt2x00usb: fix devres lifetime\n",
    "building for _WIN32 and libXdmcp is installed, so HASXDMAUTH is enabled\n",
    "the client for a protecting passphrase - GpgAgent takes care of it\n",
    "the passwords: what goes with what\n",
    "zlib      parser    pty       uuid\narray     gettext   pwd       zipapp\n_ssl      _zoneinfo pyasn1    zipfile\n",
    "connect,MAAM,IAAIY,0BAA4B0gB,EAAUhiB,IAExDqd,EAAUthB,OACrB,MAAM,IAAIY,MAAM,0BAA4B0gB,EAAUhiB,IAEx\n",
)
CODE = (
    "                                passwords=passwords)\n",
    '"groupBy","indexBy","countBy","pass","keyInObj","pick","omit","first"\n',
    "   it's not sufficient to pass `SSL_OP_NO_TLSv1`, one has to use more\nto not pass SSL_OP_NO_TLSv1_2 here\n",
    "if(this.win32){let{root:r}=R.win32.parse(String(t.absolute));t.absolute=r}\n",
    "               FSDiscriminatorPass P = FSDiscriminatorPass::Pass1);\n",
    "#define OBJ_userPassword                OBJ_X509,35L\n",
    "    - Pass --host=$(DEB_HOST_GNU_TYPE) to configure only when cross compiling.\n",
    "                   create_new_password=True)\n",
    "                key: password\n        prompt_l10n:\n            description:\n",
    "                PULP_PASSWORD=pulp_password,\n                X=1\n",
    "KRB5_PASSWORD_ENV = 'KRB5_PASSWORD'\n",
    "esxi1_password: @ESXI1_PASSWORD\n",
    "@NAME ansible_password=@PASSWORD ansible_port=@PORT\n",
    '        "password": 864000,\n',
    "        self.p4passwd = p4passwd\n",
    "            currentPassword, password\n        ) and Mixin.isEquivalent(currentPortStr, portStr)\n",
    '        config += f\'    password: "{kwargs["ota_password"]}"\'\n',
    '    "PASSWORD": TextMode.TEXT_MODE_PASSWORD,  # to be\n',
    'def _generate_password():\n    alphabet = "abcdefghkmnpqrstuvwxyzABCDEFGHKMNPQRSTUVWXYZ23456789"\n',
    "get password(){return this._password}set password(e){this._password=e,this.update()}get prompt(){return\n",
    "t.inputBox.placeholder=``,t.inputBox.password=!1,t.inputBox.x=2\n",
    "    'SoftLayer Credentials': 'CKV_SECRET_15',\n",
    "    args_to_pass = {**kwargs}\n",
    "        :param banner_timeout: Set a timeout to wait for the SSH banner (pass to Paramiko).\n",
    "    Raised when a parameter does not pass Pydantic type validation.\n",
    "    # Pass _sync=True to ensure we get synchronous execution\n",
    'x=1,skippedNodes:[0],repeatNodeCount:2,tokenData:"(|~RaXY!WYZ!W]^!Wpq!Wrs!]|}$u}!O$z!Q!R%T!R![&c![!]&t"}\n',
    "var Fp=class{constructor(){this._activePass=null}init(e,t){this._renderer=e\n",
    "switch(s.toLowerCase()){case`hidden`:return!1;case`password`:return!1}if(t&&!t.some(function(e){\n",
    "th=Bt.getOwnPropertySymbols,pw=ho?ho.isBuffer:e,vg=ie.isFinite\n",
    f"__vite__mapDeps([{','.join(str(pow(6, n, 251)) for n in range(64))}])\n",
    '{"password": "\\u041f\\u0430\\u0440\\u043e\\u043b\\u044c"}\n',
    '{"token": "\\u672c\\u5730\\u7aef\\u63a7\\u5236"}\n',
    'msgid "New password:"\nmsgstr "Mật khẩu mới"\n',
    '\tlocal a_password = a_conference:get_child_text("password");\n',
    "--md-primary-fg-color--dark: #042f2e;\n",
    "    encrypt(password: Uint8Array | string, progress?: number): void;\n",
    "export declare function scrypt(_passwd: BytesLike, _salt: BytesLike): void;\n",
    "        submitPassword: SIGN_UP_V2_SUBMIT_PASSWORD,\n",
    "export const SIGN_UP_SUBMIT_PASSWORD = 100024;\n",
    "exports.shouldRefreshMcpOAuth2Token = shouldRefreshMcpOAuth2Token;\n",
    "from .oauth2 import OAuth2PasswordBearer as OAuth2PasswordBearer\n",
    "        self.token = OAuth2Token.from_dict(token)\n",
    "    private_key = Ed25519PrivateKey.from_private_bytes(d)\n",
    "    const password = utils$1.getSafeProp(auth, 'password') || '';\n",
    "    password = (self.__options.password+'\\x00').encode('utf-16le')\n",
    "a.alias === b.alias && a.ownPass === b.ownPass && c\n",
    "$password = [NullString]::Value\n",
    "        assert keyring.get_password('service1', 'user1') == stored\n",
    "    assert credential.password == password_1\n",
    'input[type="text"]:focus,input[type="password"]:focus,input[type="email"]:focus\n',
    '("xs:short","xs:string","xs:time","xs:token","xs:unsignedByte","xs:unsignedInt")\n',
    "useAdminReservations:()=>Za,useAdminResetPassword:()=>qp,useAdminReturnReason:()=>Zb\n",
    ".offset-11{margin-left:91.666667%}}@media (min-width:768px){}\n",
    '  if passwd is not None:\n      raise ConfigurationError("Passwords are not supported by MONGODB-X509")\n',
    "    # hence, passwords\n  local usernames, passwords\n  status, usernames = unpwdb.usernames()\n",
    "COMPREPLY=($(compgen -W '100baseT4 100baseTx-FD 100baseTx-HD' -- \"$cur\"))\n",
    "$ echo master | git bundle create master.bundle --stdin\n",
    "    password (bool): Enable password entry.\n",
    "\tPassword: &v3AuthPassword{\n\t\tUser: v3AuthUser{\n",
    "\tuserpass := &V3UserPass{\n",
    '\t"admin_pass": map[string]interface{}{\n',
    "CLIENT_AUTH = <Purpose.CLIENT_AUTH: _ASN1Object(nid=130, short\n",
    "ctx.pwd = (uint8_t *)pwd;\n",
    "  password = (char*)ptr2;\n",
    "        publicKey: Uint8Array;\n        secretKey: Uint8Array;\n",
    "#org.freedesktop.ModemManager1.Bearer:Ip4Config\n",
    "Updated to direct user to pass -m[31|32|64] in\n",
    "$prompt_pw = \\&_local_prompt_pw;\n",
    "ec2_credentials_list = openstackclient.identity.v2_0.ec2creds:ListEC2Creds\n",
    "        oauth2_credential = {'x5t#S256': oauth2_thumbprint}\n",
    "    V2_TOKEN = v2Fixtures.Token(\n        tenant_name=NAME\n",
    "        user_pass = (f'{username}:{password}').encode()\n",
    "    :param oauth2_client_secret: OAuth2.0 client credential secret.\n",
    "    :param passwd: **DEPRECATED** Alias for password.\n",
    'req.Header.Set("Authorization", "NTLM "+base64.StdEncoding.EncodeToString(message))\n',
    "var authToken = neo4j.auth.basic('neo4j', 'password')\n",
    'const requiresPassword = user?.["provider"] === DEFAULT;\n',
    "      old_pass = instance_method(:pass?)\n",
    " * * `azure-active-directory-password` : {@link Options.options}\n",
    "    - pass -DCMAKE_INSTALL_DOCDIR=/usr/share/doc/exiv2/html to cmake\n",
    "    let pwd = cmd!(pwd_path);\n",
    '\tident=$(getent passwd | grep "^$DAEMONUSER")\n',
    "    PWD = \"'`pwd`'\"\n",
    "\t\tAccessKey: s3Config.AccessKey,\n\t\tSecretKey: s3Config.SecretKey,\n",
    "    /// [`WrongPassword`]: enum.CommandError.html#variant.WrongPassword\n",
    "        passphrase: &[u8],\n    ) -> Result<PKey<Private>, ErrorStack> {\n",
    "    login VARCHAR,\n    password VARCHAR\n);\n",
    "  - `extern(D)`: Pass non-PODs by ref to temporary.\n",
    'password=$(echo -n "$password" | md5sum -b | cut -d" " -f1)\n',
)
STAND_INS = (
    "* pwd: (coreutils)pwd invocation.               Print working directory.\n",
    "     gets you:\n\n          /etc/passwd:eli:x:2098:1000:Eli Smith:/home/eli:/bin/bash\n",
    '    <span>npm-token</span>\n    <span class="version">@11.19.1</span>\n',
    'User-Password := "%{1}"\n',
    "ntlm_auth --username=%{mschap:User-Name} --password=%{User-Password}\n",
    "TOTP-Password := &User-Password\n",
    '"password": "[%key:common::config_flow::data::password%]"\n',
    "r += ', password={0.password!r}'.format(self)\n",
    '  Password = "XXX_SDPASSWORD_XXX"\n',
    '  Password = "@dir-password@"\n',
    "client_secret = ${extract{2}{:}{${lookup{$host}nwildlsearch{CONFDIR/passwd.client}}}}\n",
    "$password = $catalogs{$catalog}->{'password'}\n",
    "openssl pkcs12 -in server.p12 -passin pass:`grep output_password server.cnf`\n",
    "the --auth-user-pass username/password failed\n",
    '{"auth":{"username":"={{$credentials.username}}","password":"={{$credentials.password}}"}}\n',
    '{"auth":{"username":"x","password":"not-needed"}}\n',
    "<n1:password>%s%s</n1:password>\n",
    'authorization: "Basic YourBase64EncodedCredentials=="\n',
    "password: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',\n",
    '"password": f"{otptype}:{otp}",\n',
    'prompt_or_password = rf"({root_prompt}|{pattern})"\n',
    '"change_password": "5/m/user",\n"reset_password": "20/m/ip,5/m/key",\n',
    'password = "ssword"\n',
    "\\&            password => \\*(Aq\\*(Aq,\n",
    '"en_PN": "en_001",\n"en_PW": "en_001"\n',
)
NOUNS = (
    "9038    Issue an error from KDC on S4U2Self failures; the password stays\n",
    "help = 'Gets an S4U2proxy ticket impersonating the user', password\n",
    "It is important to note that OpenVPN2 merely passes the password\n",
    "[\\-\\-authenticate] [\\-\\-pfsgroup\\ [modp1024]\\ |\\ [modp1536]\\ |\\ [modp2048]\\ |\\ [dh22]]\n",
    '<a href="mailto:bugs@example.org?subject=Documentation__KRB5_KEYUSAGE_IAKERB_FINISHED">the token</a>\n',
    'client = Client(sid, auth_token)\ncall = client.calls.get("CA42ed11f93dc08b952027ffbc406d0868")\n',
    "899,Jul,7,08:06:15,combo,-- root,2421,ROOT LOGIN ON tty2,E91,ROOT LOGIN ON tty2\n",
    '"token": {\n  "card": "ic_1Pgag5B7WZ01zgkWephORn8N",\n',
    '"password": null,\n"address": "1Jq6MksXQVWzrznvZzxkV6oY57oWXD9TXB",\n',
    "[Intro to Webhooks](https://support.example.com/webhooks/articles/228383668-Intro-to-Webhooks)\n",
    "\tleftrsasigkey=0sAQPWTXt8DDlEhTZJ91ngNMxTSyuos6JZxXQmtRcwUl6ppUCcuuWvjXrF\n",
    "NORMAL_ACCOUNT = 0x00000200  #[ADS_UF_NORMAL_ACCOUNT](https://docs.example.com/library/aa772300)\n",
    '"AmazonCognitoPowerUser": "arn:aws-cn:iam::aws:policy/AmazonCognitoPowerUser",\n',
)
EXPRESSIONS = (
    "    blob_struct_pointer = struct(advapi32, 'PLAINTEXTKEYBLOB')\n",
    "            'tripledes_2key': Advapi32Const.CALG_3DES_112,\n",
    'req.headers["Authorization"] = "{0}APIToken={1}!{2}{3}{4}".format(\n',
    "'password': '/String/Key[text()=\"Password\"]/../Value[text()=\"{}\"]/../..',\n",
    "# passwd    = 1*SAFE ; MUST accept up to 255 octets\n",
    "    encrypted_privkey = b'\\x01\\x42' + flagbyte + addresshash\n",
    "kerbdata['UserSessionKey'] = b'" + 16 * "\\x00" + "'\n",
    "key1 = bytes.fromhex('02cd9107f8f1505ffd779bb7d8596ee686afc116e340f01b435871a038922255eb')\n",
    "NO_IMPERSONATION_TOKEN = 0xC000005C\nWRONG_PASSWORD = 0xC000006A\nNULL_LM_PASSWORD = 0x4000000D\n",
    '    signing_key = key_dict[f"ed25519:{device_id}"]\n',
    "def connect(user, db_password=None):\n",
    "\tdef logon(self, lpPassword = None):\n",
    "            and doc_mdp != MDPPerm.NO_CHANGES\n",
    "\t'msDS-ManagedPassword' : x2gmsa,\n\t'unicodePwd' : single_utf16le,\n",
    "\t('authenticator-vno', krb5int32, {'tag_type': TAG}), # password\n",
    "def change_password(host: str = 'localhost') -> KRB5CHPWReply:\n",
    "\tconfig['lpPassword'] = lpPassword\n\tconfig['dwPwSize'] = dwPwSize\n",
    '    "unicodePwd": self.password,\n    "dNSHostName": self.dns,\n',
    "    super(CapabilityToken, self).__init__(\n        issuer=account_sid,\n        algorithm=self.ALGORITHM,\n",
    '    "--management-password",\n    "management_key",\n    help="current management password",\n',
    "b'!EXPORT:!DES:!RC4:!MD5:!PSK:!aECDH:!EDH-DSS-DES-CBC3-SHA:'\n",
    "# props['sfupassword'] = ensure_string(get_entry_property(entry, 'msSFU30Password'))\n",
    'h.once,i=h.pass,(h.pass={})[c]=1,h.pass=i,o}if("number"==typeof t)return this.get(""+t,n,e)\n',
    "Password(hex): %s\\r\\nKerberos password(hex): %s' % (secret.hex(), raw.hex())\n",
    '    printf "\\n${CYAN}Status: ${PLAIN}${RED}Docker not found.${PLAIN}\\n"\n',
    '% echo -n "user:example.com:pass" | md5sum\n',
    '   "*://*:*@*")  ;;\n',
    "to the privacy password (\\f(CW\\*(C`privpassword\\*(C'\\fR).\n",
)
TEXTS = (
    '"password": "Contrase\\u00f1a",\n',
    '"password": "Slapta\\u017eodis"\n',
    "$lang['user_pass'] = 'पासवर्ड';\n",
    'Flags indicating how to handle the "ca\\-cert\\-password" property\\&.\n',
    "username: &#39;&#39;, password: &#39;&#39;, host\n",
    "    creationToken = 1644442601</code></pre>\n",
    'RESETPASS = "PASSWORD|RESET"\n',
    "SSLCertificateFile pkcs11:token=My%20Token%20Name;id=45\n",
    "/etc/pam.d/passwd eaf2ad85b5ccd06cceb19a3e75f40c63\n",
    "Issuer: C = NO, O = Buypass AS-983163327, CN = Buypass Class 2\n",
    "fix gpasswd passwd leak (Closes: #1051062)\n",
    "Failed password for user admin from 2001:db8::1 port 42746 ssh2\n",
    "* sudoers.pod:\nthe password\n[0b5b722ea0f4]\n",
    "<span># password:show&quot;:&quot;rule:project_reader_or_admin&quot;.</span>\n",
    "    password: @password,\n    host: @host\n",
    "/server add x irc.example.org -password=oauth:XXXX\n",
    "ask_password = on/off\n",
    "        token = b64encode(userpass).decode()\n",
    "    azureservicebus://SAS_POLICY_NAME:SAS_KEY@SERVICE_BUSNAMESPACE\n",
    "; ldap_schema = rfc2307bis\n",
    '\tPassword "secret"\n\tKRBSrvName "kerberos_service"\n',
    "Add new signing key 19882D92DDA4C400C22C0D56CC2AF4472167BE03 from\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n",
    "#wpa_psk is a passphrase\nwpa_rounds=12345678\n",
)  # fmt: skip


@pytest.mark.parametrize("text", NAMES + CODE + NOUNS + EXPRESSIONS + STAND_INS + TEXTS)
def test_what_real_text_says_near_a_word_for_secrets_stays(text: str) -> None:
    """18.3: at most 0.3 plainly wrong redactions a megabyte of real text."""
    assert Redactor().redact(text).text == text


def test_what_was_drawn_stays_hidden_in_the_places_of_names() -> None:
    draw = random.Random(18)
    shown = 0
    for _ in range(400):
        value = "".join(draw.choices(string.ascii_letters + string.digits, k=12))
        place = draw.choice(("the passwords for {} is it\n", "encrypt(password: {}, x)\n", "libx {} - password\n"))
        shown += value in Redactor().redact(place.format(value)).text
    assert shown <= 400 * 0.03


@pytest.mark.parametrize(
    "place",
    [
        "the password is {} now\n",
        "password: {} and then some\n",
        '{{"password": {}, "user": "jo"}}\n',
        "db_password={}):\n",
        "admin_key = '{}'\n",
        "key = bytes.fromhex('{}')\n",
        "auth: log in with {} and wait\n",
    ],
)
def test_secrets_stay_hidden_where_names_of_things_and_expressions_are_shown(place: str) -> None:
    draw = random.Random(place)
    letters, count = ("0123456789abcdef", 64) if "fromhex" in place else (string.ascii_letters + string.digits, 14)
    drawn = ["".join(draw.choices(letters, k=count)) for _ in range(300)]
    assert sum(value in Redactor().redact(place.format(value)).text for value in drawn) <= 300 * 0.01


def test_a_long_trace_of_a_program_is_read_to_its_end() -> None:
    """Each call is a line of its own, and none goes on in the next one."""
    line = 'openat(AT_FDCWD, "/srv/lib/{0}.py", O_RDONLY|O_CLOEXEC) = 3\nlseek({0}, 0, SEEK_CUR) = 0\n'
    trace = "".join(map(line.format, range(4_000)))
    assert Redactor().redact(trace).text == trace
