// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Where a protocol keeps the fees it earned, behind an ERC1967Proxy. The owner spends them, states the
/// rate the protocol charges (`feeBps`, which the vault itself charges nobody) and upgrades the code.
contract FeeVaultV1 is Initializable, UUPSUpgradeable {
    using SafeERC20 for IERC20;

    address public owner;
    uint256 public feeBps;

    event FeeSet(uint256 feeBps);
    event OwnerSet(address indexed owner);
    event Deposited(address indexed token, address indexed from, uint256 amount);
    event Withdrawn(address indexed token, address indexed to, uint256 amount);

    error NotOwner();
    error RateTooHigh();

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    /// The implementation itself is never initialized: only proxies are.
    constructor() {
        _disableInitializers();
    }

    function initialize(address owner_, uint256 feeBps_) external initializer {
        owner = owner_;
        emit OwnerSet(owner_);
        _setFee(feeBps_);
    }

    function version() external pure virtual returns (uint256) {
        return 1;
    }

    function setFee(uint256 feeBps_) external onlyOwner {
        _setFee(feeBps_);
    }

    function deposit(address token, uint256 amount) external {
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        emit Deposited(token, msg.sender, amount);
    }

    function withdraw(address token, address to, uint256 amount) external onlyOwner {
        IERC20(token).safeTransfer(to, amount);
        emit Withdrawn(token, to, amount);
    }

    function _setFee(uint256 feeBps_) private {
        if (feeBps_ > 10_000) revert RateTooHigh();
        feeBps = feeBps_;
        emit FeeSet(feeBps_);
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}
