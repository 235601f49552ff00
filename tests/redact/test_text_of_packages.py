"""What sources, translations, recordings and settings in packages say beside names for secrets, and is none.

Each line stood in a package that nobody had looked at before, and was hidden at first sight.
"""

import pytest

from overspill.redact.redactor import Redactor

TYPES = (
    "\tvar roleCreds ec2RoleCredRespBody\n",
    "/* the password */\nstatic void print LDAP_P(( TAvlnode *root, int depth, int thread ));\n",
    "        request.headers['Authorization'] = SignerV4.build_auth_header_v4(sign, md, credentials)\n",
    "                'sha256_password' => __('SHA256 password authentication'),\n",
    "-- | A Curve448 Secret key\nnewtype SecretKey = SecretKey ScrubbedBytes\n",
    "    public function testLogin($password)\n    /**\n     * @group github280\n     */\n",
)
REFERENCES = (
    'echo "rootpw `$SLAPPASSWD -T $CONFIGPWF`" >>$CONF1\n',
    "dn: cn=x\n+userPassword:(userPassword=*)\n",
    '"--password" = {\n\t\t\tvalue = "$jmx4perl_password$"\n',
    '\t\t\t\tpassword=<password>"\n',
    'expectedAuth: "AWS4-HMAC-SHA256 Credential=**REDACTED**/20170613/us-east-1/s3/aws4_request, Sig\n',
    "# auth\n  return datetime.now(tz=pytz.timezone('UTC')).strftime(\"%Y%m%dT%H%M%SZ\")  # credentials\n",
    '"{\\"tokens\\": 1, \\"id\\":9,\\"node_id\\":\\"MDQ6VXNlcjI0MDgzMA==\\",\\"url\\":\\"h',
)
SENTENCES = (
    'chineseMessage InvalidEmailPass = "无效的邮箱/密码组合"\n',
    'danishMessage SetPass = "Sæt et nyt kodeord"\n',
    'danishMessage Password = "Kodeord"\n',
    '    invalidPasswordRegexPatternMessage: "Neplatné heslo: neshoduje se zadaným regulárním výrazem.",\n',
    "             * SASLprep to username/password. RFC 6856[2.2]. Reject if\n",
    "    * When set to `scram`, passwords will be hashed by Vault before being sent to PostgreSQL.\n",
    "my %type = qw(\n  password        simple\n  kerberos41      krbv41\n  kerberos42      krbv42\n);\n",
)
DECLARATIONS = (
    "        'create_option': {'key': 'createOption', 'type': 'str'},\n",
    "- Fixed ldap handler not recognizing database suffix (Closes: Trac#28)\n",
    '\t$mode_dbpasswd = sprintf "%04o", $mode_dbpasswd & 07777;\n',
    '        bad_token = b64header + "." + b64payload\n',
    "CLSID_WbemLevel1Login     = string_to_bin('8BC3F05E-D86B-11D0-A075-00C04FB68820')\n",
    "IID_IWbemLevel1Login      = uuidtup_to_bin(('F309AD18-D86A-11d0-A075-00C04FB68820', '0.0'))\n",
    "    virtual void setHost(const QString &host, quint16 port, const QString &user, const QString &passwd);\n",
    "a named list. If you wanted to pass `key1=value1` and `key2=value2` to `http://httpbin.org/get` you\n",
    "      password: '?string',\n",
    "                    this.logger.debug(`Set password for userId: ${userId}`);\n",
    "key, outputFormat?: OutputFormat | null): { ciphertext: Uint8Array; sharedSecret: Uint8Array };\n",
    "      evaluate(ctxVOPRF, secretKey, input),\n",
    "  secretKey: Bytes,\n        const inputPoint = hashToGroup(input, ctxPOPRF);\n",
    "        return { public: round1Public, secret: round1Secret };\n",
)
MANUALS = (
    "#define CKO_PRIVATE_KEY 0x00000003UL\n",
    "\tSIOCGLIFTOKEN                 = -0x3f879678\n",
    " *\tgroup key is identified by %NL80211_ATTR_MLO_LINK_ID.\n",
    "\t- Fix: the m68k architecture is identified by __mc68000__\n",
    "\tcase OpAMD64CMPW:\n\t\treturn rewriteValueAMD64_OpAMD64CMPW(v)\n",
    "\tcase ppc64.ACMP, ppc64.ACMPU, ppc64.ACMPW, ppc64.ACMPWU, ppc64.AFCMPU:\n",
    "\tWORD $0xB93A0008 // compute digital signature authentication\n",
    '\t\t\t\tenv = append(env, "PWD="+pwd)\n',
    "\t\t\t\tserverConfig.Certificates[0].PrivateKey = testRSA2048PrivateKey\n",
    '\tOID_PKIX_KP_SERVER_AUTH = []byte("1.3.6.1.5.5.7.3.1\\x00")\n',
    "rsc.io/quote v1.5.2/go.mod h2:LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0=\n",
    "! go env -w GO111MODULE=badvalue\n",
    "github.com/sean-/seed e2103e2c35297fb7e17febb81e49b312087a2372\n",
    "\t\t<commons.releaseManagerKey>86fdc7e2a11262cb</commons.releaseManagerKey>\n",
    "\t\t  sig_key:        51:C4:0C:6D:7E:A5:6C:D8:8F:B4:3A:DF:91:78:4F:18:BC:D5:E4:C5\n",
    "syn keyword pamconfTypeKeyword      contained account auth password session\n",
    "complete -c useradd -s f -d 'Number of days to disable account after password expiration' -r\n",
    "\txmlShellPwd\t\t(xmlShellCtxtPtr ctxt,\n",
    "  FunctionPass *createX86LowerAMXTypePass();\n",
    "      std::unique_ptr<DevirtSCCRepeatedPass::PassConceptT>(\n",
    "\tGNUTLS_PKCS_NULL_PASSWORD = 1<<8,\n",
    '  * libacl1: Don\'t pass "-Zbzip2 -z9" to dpkg-deb\n',
    "    - Pass --enable-x32 for x32 builds.\n",
    '(if you\'re using your default keyring, pass `--keyring="${GNUPGHOME:-~/.gnupg}/pubring.kbx"`):\n',
    "  * Fix a typo in the update-passwd manpage. Closes: Bug#53857,#75791\n",
    "  * Patch from Wookey to fix stripping passwords on builds.  closes: #665988.\n",
    "  the password\n  ``YYYYMMDDhhmmssZ``. ``YYYYMMDDhhmmss+hhmm`` and\n",
    "    gpg: Fix passphrase. [rG289fbc550d]\n",
    "password\n    URL_HASH          MD5=d41d8cd98f00b204e9800998ecf8427e\n",
    "  password ### explains why (msgid <p0624083dc311ae541393@[172.16.52.1]>):\n",
    "my $Token = qr/[\\x21\\x23-\\x27\\x2A\\x2B\\x2D\\x2E\\x30-\\x39\\x41-\\x5A\\x5E-\\x7A\\x7C\\x7E]/;\n",
    "my ($key_pem, $password) = @ARGV;\n",
    "      password VARCHAR2\n      newpass VARCHAR2\n",
    "usernév:jelszó:UID:GID:valódi név:home mappa:shell\n",
    "   RADDR is allowed to login as LOCUSER.  Non-IPv4 (e.g., IPv6) are\n",
    " * @GNUTLS_BAG_SECRET: PKCS-12 bag with secret PKCS-9 keys.\n",
    '.IX Item "kPSK, kECDHEPSK, kDHEPSK, kRSAPSK"\n',
    "password\n\tvar selfPkgIdx pkgbits.Index\n",
    "50:application/vnd.apple.pkpass:*.pkpass\n",
    "contains_opt test=oltp\" -x -l mysql-table-engine -d 'Type of the test table' -a 'myisam innodb heap'\n",
)
PROGRAMS = (
    '\tFirewallPolicySkuTierBasic FirewallPolicySkuTier = "Basic"\n',
    "@itemx --passwd @var{user_id}\n",
    '  "EXPORT [--data [--armor|--base64]] [--secret [--(raw|pkcs12)] [--] <pattern>\\n"\n',
    "void QGpgMETest::hookUpPassphraseProvider(GpgME::Context *context)\n",
    "\tEVP_PKEY* pkey = EVP_PKCS82PKEY(p8);\n",
    "WLANName TYPE=FT_STRING DISPLAY = BASE_NONE\n",
    "-- scheme://userinfo@password:authority:port/path;params?query#fragment\n",
    "                                newPasswd = NewPasswd},\n",
    "    let tokens = quote!(..100u32);\n",
    (
        "MIIDdTCCAl2gAwIBAgILBAAAAAABFUtaw5QwDQYJKoZIhvcNAQEFBQAwVzELMAkG\n"
        "AQEwDQYJKoZIhvcNAQEFBQADggEBAJEVOQMBG2f7Shz5CmBbodpNl2L5JFMn14JkTpAuw0k=\n"
    ),
    "const union av_intfloat64 ff_pw_10 =     {0x000A000A000A000AULL};\n",
    "          password: '{$VMWARE.PASSWORD}'\n",
    "|`change(/MikroTik CRS109-8G-1S-2HnD-IN by SNMP/net.if.speed) auth`\n",
    "DBG1(DBG_IKE, \"authentication of '%Y' (myself) with %N_%N_SALT_%zd \"\n",
    "\t-in $${KEYFILE%-key-pkcs8.pem}-cert.pem -passout pass:$${PASSWORD%-password}\n",
    "'monero:42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm'\n",
)
CLOUDS = (
    "        --lock-token 46851772-db6f-459d-9385-49428812e357\r\n",
    '        --client-request-token "02ccb92b-33e8-4dfa-a0c1-35b181ed26b0" \r\n',
    ' --log-events file://events2 --sequence-token "49542672486831074009579604567656788214806863282469607346"\n',
    "  aws acm list-certificates --max-items 2 --next-token 9f4d9f69-275a-41fe-b58e-2b837bd9ba48\n",
    "        --next-token eyJhd3NBY2NvdW50SWQiOnsicyI6IjMwMjc3NjAxNjM5OCJ9LCJidWlsZElkIjp7InMiOiJ\n",
    "    <NextToken>2YgYW55IGNhcm5hbCBwbGVhc3VyZS4=</NextToken>\n",
    "        --identifier db-10BCD2EFGHIJ3KL4M5NO6PQRS5 \\\n  the token\n",
    "  _CLIENT_SECRET = ''\n  _USER_AGENT = 'x_Tw5K8nnjoRAqULM9PFAC2b'\n",
    "  the credential\n  PROJECT = 'bamboo-machine-422'\n",
    "            credentials: :class:`oauth2client.Credentials`\n",
    "    old_credentials = oauth2client.client.OAuth2Credentials(\n",
    "    new_credentials = _oauth2client._convert_oauth2_credentials(old_credentials)\n",
    "    define an ``attr_type`` to pass to DynamoDB.\n",
    "        --in-reply-to abcd1234EXAMPLEb5678efgh \\\n",
    "        --content eyAiTmFtZSI6ICJFeGFtcGxlQXBwbGljYXRpb24iLCAiSWQiOiBFeGFtcGxlSUQsICJSYW5\n",
    "  delete posture-foo-1 --etag=ABcdO1Rf5clu7Yhlkwgelo7Vl4tiqd7Sy5iI5SdkSVU\n",
    "        coro = self.loop.create_connection(asyncio.Protocol, 'fe80::1%1', 80)\n",
    "c = self.service_connection.create_vpc_peering_connection('vpc-1a2b3c4d', 'vpc-a1b2c3d4', '123456789012')\n",
    "title: networksecurity v1alpha1 BackendAuthenticationConfig export schema\n",
    "    Secret:\n      v1alpha2:\n",
    "      'secret': 'V1SecretProjection',\n",
    "    def _create_auth(self, credentials: Credentials) -> SigV4Auth:\n",
    "def _fixed_default_rng(seed=1638083107694713882823079058616272161):\n",
    "        # seed = 154689806791763421822480125722191067828\n",
    "    Credential: _win32typing.PyCredHandle,\n",
    '                "streamName": "9b0ac37f-d19e-4254-9079-f47e9a389eEX"\n',
    "        self.functionKeys=('F1','F2','F3','F4','F5','F6','F7','F8','F9',\n",
    ";*passwd:*all*authentication*tokens*updated*successfully*\n",
    "            admin:label=ADMIN_NAME,\n",
    "--sasl-username=kafka-username --sasl-password=projects/12345/secrets/my-sasl-secret/versions/1\n",
    '    AWS_S3_DISABLE_EXPRESS_SESSION_AUTH = "AWS::S3::DisableS3ExpressSessionAuth"\n',
    'INSTALL_DATE_REG_KEY = "HKEY_CLASSES_ROOT\\\\Licenses\\\\6F0F8269-1516-44C6-BD30-0E90BE27871C", LIC\n',
    "u=c===Y.DOCUMENT_WRITE_BEGIN_PARAM,p=c===Y.DOCUMENT_WRITE_END_PARAM;u?a++:p&&a--\n",
    '$ npx -p node@v18-lts -c "npx semantic-release"\n',
    "login <rsp:ShellInactivity>P0DT0H0M0S</rsp:ShellInactivity></rsp:Shell>\n",
    '        (OBJECT_SCHEMA, True, {"X-Api-Key": DelimitedObject("r=100,g=200,b=150")}),\n',
    "has-pwd = \"is_installed('pwd')\"\n",
    '            "cosmosdbsql://:key@host")\n',
    "to log in\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxszlc+b71LvlLS0ypt/l\n",
    'auth\n<constraint firstItem="2ns-9I-Qjs" firstAttribute="bottom" secondItem="Ze5-6b-2t3" secondAttri\n',
)
SETTINGS = (
    "    * Fix RA-serf problem with proxy username and password (r1833571)\n",
    "check_snmp -o .1.3 -w '$ARG3$':'$ARG4$' -c '$ARG5$':'$ARG6$'\n",
    "command_line    /usr/lib/nagios/plugins/check_mysql -H '$HOSTADDRESS$' -u '$ARG1$' -p '$ARG2$' '$ARG3$'\n",
    " ID_MODEL_FROM_DATABASE=BCM43241 WLAN card\n",
    "# For WPA-RADIUS/EAP, ieee8021x must be set (but without dynamic WEP keys),\n",
    "- Update export/import of scram password to XEP-0227 1.1\n",
    "      [[ $PWD == */options.tmp ]] || return 1 # Sanity check before calling rm(1).\n",
    '  sprintf(message, "Screen used by %s.\\nPassword:\\007",\n',
    "  zPwd = zPwdBuffer;\n",
    "        'pkpass' => 'application/vnd.apple.pkpass',\n",
    "    c = connection_from_list(letters, dict(first=2, after='YXJyYXljb25uZWN0aW9uOjE='))\n",
    "    - Launcher was unable to connect to JNIBridge.\n",
)
ZONES = (
    "nlnetlabs.nl.\t10200\tIN\tRRSIG\tA 8 3 10200 42393 nlnetlabs.nl. kjPG3kJKmAgL8XW9HFDR+XVGH5WTRg ;{key}\n",
    '(assert_return (invoke "f32.no_fold_lt_select_to_abs" (f32.const nan:0x200000)) (f32.const nan:0x200000))\n',
    "Received-SPF: pass client-ip=2607:f8f0:614:1::1274:39;\n",
    'test_emacs \'(notmuch-mua-new-reply "id:874llc2bkp.fsf@curie.anarc.at")\n',
    "  {TLeft, SL} = elixir_erl_clauses:match(Ann, fun elixir_erl_pass:translate/3, LeftArgs,\n",
)
MODULES = (
    'to connect to the network\n\t<option key="elevation" advanced="yes"/>\n',
    '              (read-from-minibuffer "Set password (empty for no authentication): "))))\n',
    '    printf (" pass %4d/%-4d", p, n);\n',
    "                'Authorization': 'AWS4-HMAC-SHA256 Credential=YOURKEY/20160618/us-east-1/es/aws4_request,\n",
    "          @owner_password = (1..32).map { rand(256) }.pack('c*')\n",
    "            '&oauth_token_secret='.Horde_Oauth_Utils::urlencodeRfc3986($this->secret);\n",
    '<span class="target" id="structstruct_struct_test_1aa58199d0712e5bcc5d48784513ebfdf3"></span>\n',
)


@pytest.mark.parametrize(
    "text",
    [*TYPES, *REFERENCES, *SENTENCES, *DECLARATIONS, *MANUALS, *PROGRAMS, *CLOUDS, *SETTINGS, *ZONES, *MODULES],
)
def test_what_packages_say_near_a_word_for_secrets_stays(text: str) -> None:
    """18.3: at most 0.3 plainly wrong redactions a megabyte of real text."""
    assert Redactor().redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "\tvar roleCreds = '{}'\n",
        'echo "rootpw {}" >>conf\n',
        "userPassword: {}\n",
        'danishMessage Password = "{}"\n',
        "heslo: {} a potom\n",
        "the passwords were changed to {}\n",
        "users\n  password        name\n  {}   jo\n",
        "  password(input, {})\n",
        "evaluate(jo, {}); // the password\n",
        "pass {} please\n",
        "identified by {}\n",
        "root:{}:0:0:root:/root:/bin/bash\n",
        "api_token = {}\n",
        '"{{\\"tokens\\": 1, \\"user_secret\\":\\"{}\\",\\"url\\":\\"h',
    ],
)
def test_a_drawn_value_in_the_same_place_is_hidden(text: str) -> None:
    for value in ("x7KqPz2LwRt9", "gT4vNw8ZbQ2m", "Rk93bTq7XwLd"):
        assert value not in Redactor().redact(text.format(value)).text


def test_what_ends_in_a_colon_below_a_name_is_hidden_unless_it_is_a_key() -> None:
    assert "W]x(d;kT" not in Redactor().redact("password: >-\n  W]x(d;kT!v@q,:\n").text
    assert Redactor().redact("secret:\n  v1alpha2:\n    kind: x\n").counts == {}


def test_a_catalogue_of_translations_is_read_to_its_end() -> None:
    """Where a place in a file ends its line the text below is a line of its own, and not the rest of a token."""
    entry = '#: wp-admin/includes/continents-cities.php:{0}\nmsgid "Africa {0}"\nmsgstr "Afrika {0}"\n\n'
    assert not Redactor().redact("".join(map(entry.format, range(1_000)))).incomplete


def test_zeros_in_base64_are_read_to_their_end() -> None:
    """Each letter of such a run could begin a token, if what stands before it did not matter."""
    assert not Redactor().redact("data: " + "AAAA" * 20_000 + "\n").incomplete
